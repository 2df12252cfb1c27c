import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { COMMANDS_COMMIT_PAUSE_MS, COMMANDS_RETRY_MS } from '../../contract/limits.js';
import type { Shelf, ShelfChanges } from '../../store/store.js';
import { CommandLog } from './command-log.js';
import type { EndedChanges } from './ended-commands.js';
import { commandRecords, type KeptRecord, keptTerminals, shellRecordId } from './kept-record.js';

interface ChangedLog {
  id: string;
  log: CommandLog;
  ended: EndedChanges;
}

/**
 * Stores the logs of terminals on disk, so that a crash loses no more than the last few milliseconds. Writes the
 * changes of all logs in one transaction at a time, the shell of a log together with its commands.
 */
export class CommandLogWriter {
  readonly #shelf: Shelf<KeptRecord>;
  readonly #logger: Pick<Logger, 'error'>;
  readonly #changed = new Map<string, CommandLog>();
  readonly #gone = new Set<string>();
  readonly #closing = new AbortController();
  #writing: Promise<void> | undefined;
  /** Called once the next write has ended. */
  #waiting: Array<() => void> = [];
  #failures = 0;
  #isFailing = false;

  constructor(shelf: Shelf<KeptRecord>, logger: Pick<Logger, 'error'>) {
    this.#shelf = shelf;
    this.#logger = logger;
  }

  /** Number of failed writes; their contents are part of the next write. */
  get failures(): number {
    return this.#failures;
  }

  /** Returns the stored log of a terminal, or an empty log. */
  load(terminalId: string): CommandLog {
    const prefix = commandRecords(terminalId);
    const shell = this.#shelf.get(shellRecordId(terminalId));
    return new CommandLog({
      kept: shell?.kind === 'shell' ? shell : undefined,
      ended: this.#shelf.ids(prefix).map((id) => id.slice(prefix.length)),
      read: (commandId) => {
        const record = this.#shelf.get(prefix + commandId);
        return record?.kind === 'command' ? record.command : undefined;
      },
    });
  }

  /** Removes the stored logs of all other terminals. */
  keepOnly(terminalIds: ReadonlySet<string>): void {
    for (const id of keptTerminals(this.#shelf)) if (!terminalIds.has(id)) this.drop(id);
  }

  changed(terminalId: string, log: CommandLog): void {
    this.#changed.set(terminalId, log);
    this.#write();
  }

  /** Resolves once all changes so far are written, or their write has failed. */
  written(): Promise<void> {
    if (this.#changed.size + this.#gone.size === 0 && !this.#writing) return Promise.resolve();
    this.#shelf.hurry();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Removes the stored log of a terminal. */
  drop(terminalId: string): void {
    this.#changed.delete(terminalId);
    this.#gone.add(terminalId);
    this.#write();
  }

  /** Writes everything that is left. Resolves once that is done or has failed; nothing is written afterwards. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#shelf.hurry();
    await this.#writing;
    await this.#writeOnce();
  }

  #write(): void {
    if (!this.#closing.signal.aborted) this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    const { signal } = this.#closing;
    // Changes from one turn of the event loop are written together.
    await turn();
    while (!signal.aborted && this.#changed.size + this.#gone.size > 0) {
      await this.#writeOnce();
      const pause = this.#isFailing ? COMMANDS_RETRY_MS : COMMANDS_COMMIT_PAUSE_MS;
      // Closing ends the pause early.
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
    this.#writing = undefined;
  }

  async #writeOnce(): Promise<void> {
    const logs = [...this.#changed].map(([id, log]) => ({ id, log, ended: log.changes() }));
    const gone = [...this.#gone];
    const waiting = this.#waiting;
    this.#waiting = [];
    const joins = waiting.length === 0 && !this.#closing.signal.aborted;
    if (logs.length + gone.length > 0) await this.#put(logs, gone, joins);
    for (const resolve of waiting) resolve();
  }

  async #put(logs: readonly ChangedLog[], gone: readonly string[], joins: boolean): Promise<void> {
    this.#changed.clear();
    this.#gone.clear();
    const put = new Map<string, KeptRecord>();
    const changes = {
      clear: gone.map(commandRecords),
      remove: gone.map(shellRecordId),
      put,
    } satisfies ShelfChanges<KeptRecord>;
    for (const { id, log, ended } of logs) {
      const shell = log.kept();
      if (shell) put.set(shellRecordId(id), shell);
      for (const command of ended.put) put.set(commandRecords(id) + command.id, { kind: 'command', command });
      changes.remove.push(...ended.remove.map((commandId) => commandRecords(id) + commandId));
    }
    try {
      await this.#shelf.write(changes, { joins });
      for (const { log, ended } of logs) log.stored(ended);
      this.#isFailing = false;
    } catch (err) {
      this.#failed(err);
      for (const id of gone) this.#gone.add(id);
      for (const { id, log } of logs) if (!this.#gone.has(id)) this.#changed.set(id, log);
    }
  }

  /** Logs once for all failures in a row: on a full disk a write fails every COMMANDS_RETRY_MS. */
  #failed(err: unknown): void {
    this.#failures++;
    if (!this.#isFailing) this.#logger.error({ err }, 'commands could not be stored');
    this.#isFailing = true;
  }
}
