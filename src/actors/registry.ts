import { DomainError } from '../contract/errors.js';
import type { ExitStatus } from '../contract/terminal.js';
import type { TerminalRecord } from './terminal-record.js';

export interface RegistryOptions {
  /** Milliseconds an exited terminal is kept, as of its exit. */
  keepExitedMs: () => number;
  /** Exited terminals kept at once; beyond it the oldest goes. */
  maxExited: number;
  /** An exited terminal's time is over; it is out of the registry already. */
  onExpired: (record: TerminalRecord) => void;
}

/** The terminals by id: those that run, and those that have exited and are kept for a while. */
export class Registry {
  readonly #options: RegistryOptions;
  readonly #running = new Map<string, TerminalRecord>();
  /** In the order of their exits. */
  readonly #exited = new Map<string, TerminalRecord>();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  add(record: TerminalRecord): void {
    if (record.exit) this.exited(record, record.exit);
    else this.#running.set(record.id, record);
  }

  find(id: string): TerminalRecord | undefined {
    return this.#running.get(id) ?? this.#exited.get(id);
  }

  /** Running or kept; throws `terminal-not-found`. */
  get(id: string): TerminalRecord {
    return found(this.find(id));
  }

  /** Throws `terminal-not-found`, also for one that has exited. */
  running(id: string): TerminalRecord {
    return found(this.#running.get(id));
  }

  list(status: 'running' | 'all'): TerminalRecord[] {
    const running = [...this.#running.values()];
    return status === 'all' ? [...running, ...this.#exited.values()] : running;
  }

  /** The program of `record` has ended; its time as a kept terminal begins. */
  exited(record: TerminalRecord, exit: ExitStatus): void {
    this.#running.delete(record.id);
    record.exit = exit;
    const left = Math.max(0, exit.exitedAt + this.#options.keepExitedMs() - Date.now());
    record.expiry = setTimeout(() => this.#expire(record), left);
    this.#exited.set(record.id, record);
    const [oldest] = this.#exited.values();
    if (oldest && this.#exited.size > this.#options.maxExited) this.#expire(oldest);
  }

  /** Takes a terminal out; throws `terminal-not-found`. */
  remove(id: string): TerminalRecord {
    const record = this.get(id);
    this.#drop(record);
    return record;
  }

  /** Takes all out and returns them. */
  clear(): TerminalRecord[] {
    const records = this.list('all');
    for (const record of records) this.#drop(record);
    return records;
  }

  #expire(record: TerminalRecord): void {
    this.#drop(record);
    this.#options.onExpired(record);
  }

  #drop(record: TerminalRecord): void {
    clearTimeout(record.expiry);
    this.#running.delete(record.id);
    this.#exited.delete(record.id);
  }
}

function found(record: TerminalRecord | undefined): TerminalRecord {
  if (!record) throw new DomainError('terminal-not-found');
  return record;
}
