import type { Logger } from 'pino';
import type { EngineEvent, FrameEvent } from './events.js';
import type { Registry } from './registry.js';
import type { TerminalMessage } from './shards-options.js';

/** Passes the events of terminals to all listeners, and keeps the registry in step with what shards report. */
export class TerminalEvents {
  readonly #registry: Registry;
  readonly #logger: Logger;
  readonly #listeners: Array<(event: EngineEvent) => void> = [];
  #onFrame: (frame: FrameEvent) => void = () => undefined;

  constructor(registry: Registry, logger: Logger) {
    this.#registry = registry;
    this.#logger = logger;
  }

  subscribe(listener: (event: EngineEvent) => void): void {
    this.#listeners.push(listener);
  }

  /** Sets the listener for output. */
  onFrame(listener: (frame: FrameEvent) => void): void {
    this.#onFrame = listener;
  }

  emit(event: EngineEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Handles a message of a shard. */
  onStream(message: TerminalMessage): void {
    if (message.type === 'fault') {
      this.#logger.error({ terminal: message.id, fault: message.error }, 'a screen failed and was reset');
      return;
    }
    if (message.type === 'recorded' || message.type === 'printed' || message.type === 'found') {
      // Passed on without a look at the registry: a terminal's recording and text may end after its removal, and lines that
      // watches look for are reported a moment after they were printed.
      this.emit(message);
      return;
    }
    // The message may have been on its way when the terminal was removed.
    const record = this.#registry.find(message.id);
    if (!record) return;
    if (message.type === 'output' || message.type === 'resync') {
      this.#onFrame(message);
      return;
    }
    if (message.type === 'resized') record.size = { cols: message.cols, rows: message.rows };
    if (message.type === 'titled') {
      // A shard that replaces another one reports the title again.
      if ((record.title ?? '') === message.title) return;
      record.title = message.title;
    }
    if (message.type === 'exited') {
      // An adopted terminal may have exited before; its shard reports the exit again.
      if (record.exit) return;
      this.#registry.exited(record, message.exit);
    }
    if (message.type === 'interrupted') this.#interrupted(message.id);
    else this.emit(message);
  }

  /** Reports terminals that have a new shard: part of their output may not have been streamed. */
  onRehomed(ids: string[]): void {
    for (const id of ids) this.#interrupted(id);
  }

  /**
   * Marks all terminals as exited. Nobody knows how their programs ended, and the next pty host ends what is left of
   * them.
   */
  onHostLost(): void {
    const exit = { exitCode: null, signal: null, exitedAt: Date.now(), reason: 'host-lost' } as const;
    for (const record of this.#registry.list('running')) {
      this.#registry.exited(record, exit);
      this.emit({ type: 'exited', id: record.id, exit });
    }
  }

  /** Reports missing output, except for an exited terminal: all its output came before its exit, so none is missing. */
  #interrupted(id: string): void {
    const record = this.#registry.find(id);
    if (record && !record.exit) this.emit({ type: 'interrupted', id });
  }
}
