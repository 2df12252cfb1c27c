import { PROCESS_DETAILS_MS } from '../../contract/limits.js';
import type { ProcessDetails, ProcessInfo, ProcessTable } from './process-table.js';

interface Entry {
  image: string;
  readAt: number;
  details: ProcessDetails;
}

/**
 * Details of processes, which are read again when the process executes another program, and after a time: a process may
 * write another command line over its own.
 */
export class KnownDetails {
  readonly #table: Pick<ProcessTable, 'details'>;
  readonly #now: () => number;
  readonly #entries = new Map<number, Entry>();
  #sweptAt: number;

  /** @param now - milliseconds on a clock that never goes back */
  constructor(table: Pick<ProcessTable, 'details'>, now: () => number = () => performance.now()) {
    this.#table = table;
    this.#now = now;
    this.#sweptAt = now();
  }

  /** Resolves with the details by pid; a process that has ended may be left out. */
  async of(processes: readonly ProcessInfo[]): Promise<Map<number, ProcessDetails>> {
    const now = this.#now();
    this.#sweep(now);
    const known = new Map<number, ProcessDetails>();
    const unknown: ProcessInfo[] = [];
    for (const process of processes) {
      const entry = this.#entries.get(process.pid);
      const isKnown = entry !== undefined && entry.image === process.image && !isOld(entry.readAt, now);
      if (isKnown) known.set(process.pid, entry.details);
      else unknown.push(process);
    }
    if (unknown.length === 0) return known;
    const read = await this.#table.details(unknown.map(({ pid }) => pid));
    for (const { pid, image } of unknown) {
      const details = read.get(pid);
      if (!details) continue;
      known.set(pid, details);
      if (image !== undefined) this.#entries.set(pid, { image, readAt: now, details });
    }
    return known;
  }

  #sweep(now: number): void {
    if (!isOld(this.#sweptAt, now)) return;
    this.#sweptAt = now;
    for (const [pid, { readAt }] of this.#entries) if (isOld(readAt, now)) this.#entries.delete(pid);
  }
}

function isOld(readAt: number, now: number): boolean {
  return now - readAt >= PROCESS_DETAILS_MS;
}
