import { MAX_TYPED_TOGETHER } from '../contract/limits.js';
import type { InputPart } from '../contract/terminal.js';
import type { HostConnection } from '../workers/pty-host/client/host-client.js';
import type { OnWritten } from '../workers/pty-host/client/unwritten.js';
import type { Outcome } from './sent-input.js';
import type { TerminalRecord } from './terminal-record.js';

/** Sends all requests before the first answer comes, so that later input cannot get in between. */
export async function typeTogether(
  host: Pick<HostConnection, 'typeAll'>,
  records: readonly TerminalRecord[],
  parts: readonly InputPart[],
  once: string | undefined,
  onWritten: OnWritten,
): Promise<Outcome[]> {
  const calls: Promise<Outcome[]>[] = [];
  for (let from = 0; from < records.length; from += MAX_TYPED_TOGETHER) {
    const handles = records.slice(from, from + MAX_TYPED_TOGETHER).map(({ handle }) => handle);
    const answer = host.typeAll(handles, parts, once, onWritten).then(
      ({ failures, repeated }) =>
        handles.map((_, index) => ({ fault: failures.get(index), isRepeated: repeated.has(index) })),
      (error: unknown) => handles.map(() => ({ fault: error })),
    );
    calls.push(answer);
  }
  return (await Promise.all(calls)).flat();
}
