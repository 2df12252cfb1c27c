import { DomainError } from '../contract/errors.js';
import type { ExitStatus } from '../contract/terminal.js';
import type { TerminalRecord } from './terminal-record.js';

export interface RegistryOptions {
  /** Milliseconds for which an exited terminal is kept after its exit. */
  keepExitedMs: () => number;
  /** Number of exited terminals kept at once; beyond it the oldest is dropped. */
  maxExited: number;
  /** Called when an exited terminal is dropped by age or number; the registry does not hold it at that point. */
  onExpired: (record: TerminalRecord) => void;
}

/** The terminals by id: running ones, and exited ones that are kept for a while. */
export class Registry {
  readonly #options: RegistryOptions;
  readonly #running = new Map<string, TerminalRecord>();
  /** In the order of their exits. */
  readonly #exited = new Map<string, TerminalRecord>();
  #dropping: NodeJS.Immediate | undefined;

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

  /** Returns a running or kept terminal; throws `terminal-not-found`. */
  get(id: string): TerminalRecord {
    return found(this.find(id));
  }

  /** Returns a running terminal; throws `terminal-not-found`, also for an exited one. */
  running(id: string): TerminalRecord {
    return found(this.#running.get(id));
  }

  list(status: 'running' | 'all'): TerminalRecord[] {
    const running = [...this.#running.values()];
    return status === 'all' ? [...running, ...this.#exited.values()] : running;
  }

  /** Marks a running terminal as exited and starts the time for which it is kept. */
  exited(record: TerminalRecord, exit: ExitStatus): void {
    this.#running.delete(record.id);
    record.exit = exit;
    const left = Math.max(0, exit.exitedAt + this.#options.keepExitedMs() - Date.now());
    record.expiry = setTimeout(() => this.#expire(record), left);
    this.#exited.set(record.id, record);
    // In a turn of its own: a caller that adds a pty host's terminals, or reports all of them as lost, then looks each of them up.
    if (this.#exited.size > this.#options.maxExited)
      this.#dropping ??= setImmediate(() => this.#dropOldest());
  }

  /** Removes a terminal and returns it; throws `terminal-not-found`. */
  remove(id: string): TerminalRecord {
    const record = this.get(id);
    this.#drop(record);
    return record;
  }

  /** Removes all terminals and returns them. */
  clear(): TerminalRecord[] {
    const records = this.list('all');
    for (const record of records) this.#drop(record);
    return records;
  }

  #dropOldest(): void {
    this.#dropping = undefined;
    const excess = this.#exited.size - this.#options.maxExited;
    for (const record of [...this.#exited.values()].slice(0, Math.max(0, excess))) this.#expire(record);
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
