import { DomainError } from '../contract/errors.js';
import { MAX_TYPED_TOGETHER } from '../contract/limits.js';
import type { InputOrigin, InputPart } from '../contract/terminal.js';
import { hrMs } from '../workers/clock.js';
import type { HostConnection } from '../workers/pty-host/client/host-client.js';
import type { OnWritten } from '../workers/pty-host/client/unwritten.js';
import type { Written } from '../workers/pty-host/wire/typing.js';
import type { Registry } from './registry.js';
import type { TerminalEvents } from './terminal-events.js';
import type { TerminalRecord } from './terminal-record.js';
import { refuseTooLarge, submits } from './typing.js';

export interface TypistOptions {
  registry: Pick<Registry, 'running' | 'get' | 'find'>;
  events: Pick<TerminalEvents, 'emit'>;
  /** Resolves with the current pty host. */
  host: () => Promise<Pick<HostConnection, 'type' | 'typeAll' | 'wasTyped'>>;
}

export interface TypeOptions {
  /**
   * Id of the operation: input that was typed into a terminal under it is not typed there again, not even by the next
   * service process. Absent or empty: each call types.
   */
  once?: string | undefined;
}

/** Input, and the facts that its events report. */
interface Typed {
  parts: InputPart[];
  origin: InputOrigin;
  /** Epoch milliseconds. */
  at: number;
  isRun?: boolean;
}

/**
 * Types into terminals through the pty host alone, which keeps requests whole and bounded whatever happens to a shard.
 */
export class Typist {
  readonly #options: TypistOptions;

  constructor(options: TypistOptions) {
    this.#options = options;
  }

  /**
   * Types the parts; resolves once they are accepted, with whether that happened before under the same `once`. Throws
   * terminal-not-found, input-buffer-full, or unavailable if nothing was typed; throws outcome-unknown if only a
   * repetition with the same `once` can find out, which types nothing twice.
   */
  async type(
    id: string,
    parts: InputPart[],
    origin: InputOrigin,
    { once }: TypeOptions = {},
  ): Promise<boolean> {
    const record = this.#options.registry.running(id);
    refuseTooLarge(parts);
    const host = await this.#options.host();
    const typed = { parts, origin, at: Date.now() };
    this.#begin(record, parts);
    const onWritten: OnWritten = (_handle, written) => this.#written(record, typed, written);
    const outcome: Outcome = await host.type(record.handle, parts, once, onWritten).then(
      (isRepeated) => ({ isRepeated }),
      (fault: unknown) => ({ fault }),
    );
    this.#end(record, typed, outcome);
    if ('fault' in outcome) throw outcome.fault;
    return outcome.isRepeated ?? false;
  }

  /** Returns whether anything was typed into the terminal under this operation id. Throws terminal-not-found. */
  async wasTyped(id: string, once: string): Promise<boolean> {
    const { handle } = this.#options.registry.get(id);
    return (await this.#options.host()).wasTyped(handle, once);
  }

  /**
   * Types a key of the service's own, which is no client's input, so no event reports it. Throws as {@link type} does.
   */
  async press(id: string, key: string, { once }: TypeOptions = {}): Promise<void> {
    const record = this.#options.registry.running(id);
    const host = await this.#options.host();
    await host.type(record.handle, [{ data: key }], once);
  }

  /**
   * Reports the line of a run after its shell took the line upon a key, at this position of the output. Does nothing if
   * the terminal is gone.
   */
  announceTyped(id: string, parts: InputPart[], origin: InputOrigin, position: number): void {
    const record = this.#options.registry.find(id);
    if (!record) return;
    const typed = { parts, origin, at: Date.now(), isRun: true };
    this.#tell(record, typed);
    this.#written(record, typed, { isHidden: false, position });
  }

  /**
   * Types the same into each terminal, in this order. Returns an entry for each: undefined, or the error, as of
   * {@link type}.
   */
  async typeAll(
    ids: readonly string[],
    parts: InputPart[],
    origin: InputOrigin,
    { once }: TypeOptions = {},
  ): Promise<(unknown | undefined)[]> {
    const wanted = ids.map((id) => this.#toType(id, parts));
    const records = wanted.flatMap((each) => (each instanceof DomainError ? [] : [each]));
    const host = await this.#options.host().catch((error: unknown) => ({ fault: error }));
    const typed = { parts, origin, at: Date.now() };
    for (const record of records) this.#begin(record, parts);
    const byHandle = new Map(records.map((record) => [record.handle, record]));
    const onWritten: OnWritten = (handle, written) => {
      const record = byHandle.get(handle);
      if (record) this.#written(record, typed, written);
    };
    const outcomes: Outcome[] =
      'fault' in host
        ? records.map(() => ({ fault: host.fault }))
        : await typeTogether(host, records, parts, once, onWritten);
    for (const [index, record] of records.entries()) this.#end(record, typed, outcomes[index] ?? {});
    let next = 0;
    return wanted.map((each) => (each instanceof DomainError ? each : outcomes[next++]?.fault));
  }

  #toType(id: string, parts: readonly InputPart[]): TerminalRecord | DomainError {
    try {
      const record = this.#options.registry.running(id);
      refuseTooLarge(parts);
      return record;
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  }

  /** Call just before input is sent. */
  #begin(record: TerminalRecord, parts: InputPart[]): void {
    if (submits(parts)) record.submittedAt = hrMs();
    this.#options.events.emit({ type: 'typing', id: record.id, parts });
  }

  #end(record: TerminalRecord, typed: Typed, { fault, isRepeated }: Outcome): void {
    if (fault === undefined && !isRepeated) this.#tell(record, typed);
    else if (!(fault instanceof DomainError && fault.code === 'outcome-unknown'))
      this.#options.events.emit({ type: 'untyped', id: record.id, parts: typed.parts });
  }

  #tell(record: TerminalRecord, { parts, origin, at, isRun }: Typed): void {
    record.lastInput = { source: origin, at, hrMs: hrMs() };
    const typed = { type: 'typed', id: record.id, parts, origin, at } as const;
    this.#options.events.emit(isRun ? { ...typed, isRun } : typed);
  }

  #written({ id }: TerminalRecord, { parts, at }: Typed, { isHidden, position }: Written): void {
    this.#options.events.emit({ type: 'written', id, parts, at, isHidden, position });
  }
}

interface Outcome {
  fault?: unknown;
  isRepeated?: boolean;
}

/** Sends all requests before the first answer comes, so that later input cannot get in between. */
async function typeTogether(
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
