import type { Logger } from 'pino';
import type { EngineEvent } from './events.js';
import type { Registry } from './registry.js';
import type { TerminalMessage } from './shards-options.js';

/** Tells what happens to terminals to all who listen, and keeps the registry in step with what shards report. */
export class TerminalEvents {
  readonly #registry: Registry;
  readonly #logger: Logger;
  readonly #listeners: Array<(event: EngineEvent) => void> = [];

  constructor(registry: Registry, logger: Logger) {
    this.#registry = registry;
    this.#logger = logger;
  }

  subscribe(listener: (event: EngineEvent) => void): void {
    this.#listeners.push(listener);
  }

  emit(event: EngineEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** A shard reports; `watching` is the number of the interest that its frames follow. */
  onStream(message: TerminalMessage, watching: number): void {
    if (message.type === 'fault') {
      this.#logger.error({ terminal: message.id, fault: message.error }, 'a screen failed and was reset');
      return;
    }
    if (message.type === 'recorded' || message.type === 'printed') {
      // Told of a removed terminal, too: its recording ends after it, and so does its text.
      this.emit(message);
      return;
    }
    // What was on its way when the terminal was removed.
    const record = this.#registry.find(message.id);
    if (!record) return;
    if (message.type === 'resized') record.size = { cols: message.cols, rows: message.rows };
    if (message.type === 'exited') {
      // An adopted terminal may have exited before; its shard reports it again.
      if (record.exit) return;
      this.#registry.exited(record, message.exit);
    }
    if (message.type === 'interrupted') this.#interrupted(message.id);
    else if (message.type === 'output') this.emit({ ...message, watching });
    else this.emit(message);
  }

  /** Terminals have a new shard: some of their output may not have been streamed. */
  onRehomed(ids: string[]): void {
    for (const id of ids) this.#interrupted(id);
  }

  /** The pty host is gone: nobody knows how programs have ended, and the next host ends what is left of them. */
  onHostLost(): void {
    const exit = { exitCode: null, signal: null, exitedAt: Date.now(), reason: 'host-lost' } as const;
    for (const record of this.#registry.list('running')) {
      this.#registry.exited(record, exit);
      this.emit({ type: 'exited', id: record.id, exit });
    }
  }

  /** What had exited printed all its output before; nobody misses any of it. */
  #interrupted(id: string): void {
    const record = this.#registry.find(id);
    if (record && !record.exit) this.emit({ type: 'interrupted', id });
  }
}
