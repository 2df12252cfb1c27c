import { DomainError } from '../contract/errors.js';
import { MAX_TYPED_TOGETHER } from '../contract/limits.js';
import type { InputOrigin, InputPart } from '../contract/terminal.js';
import { hrMs } from '../workers/clock.js';
import type { HostConnection } from '../workers/pty-host/host-client.js';
import type { Registry } from './registry.js';
import type { TerminalEvents } from './terminal-events.js';
import type { TerminalRecord } from './terminal-record.js';
import { refuseTooLarge, submits } from './typing.js';

export interface TypistOptions {
  registry: Pick<Registry, 'running'>;
  events: Pick<TerminalEvents, 'emit'>;
  /** The pty host of this moment. */
  host: () => Promise<Pick<HostConnection, 'type' | 'typeAll'>>;
}

/** What is typed, and what is told of it. */
interface Typed {
  parts: InputPart[];
  origin: InputOrigin;
  /** Epoch milliseconds. */
  at: number;
}

/**
 * Types into terminals, by way of the pty host alone: it keeps requests whole and bounded, whatever becomes of a
 * shard.
 */
export class Typist {
  readonly #options: TypistOptions;

  constructor(options: TypistOptions) {
    this.#options = options;
  }

  /** Resolves once accepted. Throws terminal-not-found, input-buffer-full. */
  async type(id: string, parts: InputPart[], origin: InputOrigin): Promise<void> {
    const record = this.#options.registry.running(id);
    refuseTooLarge(parts);
    const host = await this.#options.host();
    const typed = { parts, origin, at: Date.now() };
    if (submits(parts)) record.submittedAt = hrMs();
    await host.type(record.handle, parts);
    this.#tell(record, typed);
  }

  /** Types the same into each, in this order; for those that did not take it, why, as of {@link type}. */
  async typeAll(
    ids: readonly string[],
    parts: InputPart[],
    origin: InputOrigin,
  ): Promise<(unknown | undefined)[]> {
    const wanted = ids.map((id) => this.#toType(id, parts));
    const records = wanted.flatMap((each) => (each instanceof DomainError ? [] : [each]));
    const host = await this.#options.host().catch((error: unknown) => ({ fault: error }));
    const typed = { parts, origin, at: Date.now() };
    if (submits(parts)) for (const record of records) record.submittedAt = hrMs();
    const faults = 'fault' in host ? records.map(() => host.fault) : await typeTogether(host, records, parts);
    for (const [index, record] of records.entries()) {
      if (faults[index] === undefined) this.#tell(record, typed);
    }
    let next = 0;
    return wanted.map((each) => (each instanceof DomainError ? each : faults[next++]));
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

  #tell(record: TerminalRecord, { parts, origin, at }: Typed): void {
    record.lastInput = { source: origin, at };
    this.#options.events.emit({ type: 'typed', id: record.id, parts, origin, at });
  }
}

/** All are on their way before the first answer comes: nothing that is typed later comes between. */
async function typeTogether(
  host: Pick<HostConnection, 'typeAll'>,
  records: readonly TerminalRecord[],
  parts: readonly InputPart[],
): Promise<(unknown | undefined)[]> {
  const calls: Promise<(unknown | undefined)[]>[] = [];
  for (let from = 0; from < records.length; from += MAX_TYPED_TOGETHER) {
    const handles = records.slice(from, from + MAX_TYPED_TOGETHER).map(({ handle }) => handle);
    const answer = host.typeAll(handles, parts).then(
      (failures) => handles.map((_, index) => failures.get(index)),
      (error: unknown) => handles.map(() => error),
    );
    calls.push(answer);
  }
  return (await Promise.all(calls)).flat();
}
