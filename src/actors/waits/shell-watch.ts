import type { Command } from '../../contract/command.js';
import { DomainError } from '../../contract/errors.js';
import { MAX_COMMANDS } from '../../contract/limits.js';
import type { CommandChange, Commands } from '../commands/commands.js';
import { isGone } from '../screens.js';

/** Follows the commands of one terminal from now on. Must be closed. */
export class ShellWatch {
  readonly #signal: AbortSignal;
  readonly #unfollow: () => void;
  /** The latest state of each command that began since, in order; without commands that another of them has run. */
  readonly #commands = new Map<string, Command>();
  #running: string | undefined;
  #hasChanged = false;
  #isCut = false;
  #isGone = false;
  #wake = () => {};
  #release = () => {};

  /** Calls `onChange` with each change before a waiter wakes. Throws terminal-not-found. */
  constructor(
    commands: Pick<Commands, 'follow'>,
    id: string,
    signal: AbortSignal,
    onChange: (change: CommandChange) => void = () => {},
  ) {
    this.#signal = signal;
    this.#unfollow = commands.follow(id, (change) => {
      onChange(change);
      this.#take(change);
    });
  }

  /** Whether the first commands are missing, since only the last MAX_COMMANDS are kept. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** The last commands that began since, without commands that another of them has run. */
  get commands(): Command[] {
    return [...this.#commands.values()];
  }

  /** The last of {@link commands} that has ended. */
  get ended(): Command | undefined {
    return this.commands.findLast(({ endedAt }) => endedAt !== null);
  }

  /**
   * Resolves with true once something has changed since the last call, with false after `patienceMs` milliseconds.
   * Rejects with terminal-not-found when the terminal has gone, and with the signal's reason. A pending call never
   * settles if this is called again meanwhile, or the watch is closed.
   */
  async changed(patienceMs?: number): Promise<boolean> {
    this.#signal.throwIfAborted();
    const isChanged = this.#hasChanged || this.#isGone || (await this.#next(patienceMs));
    this.#hasChanged = false;
    if (this.#isGone) throw new DomainError('terminal-not-found');
    return isChanged;
  }

  close(): void {
    this.#unfollow();
    this.#release();
  }

  #next(patienceMs: number | undefined): Promise<boolean> {
    const signal = this.#signal;
    // This call replaces the pending call, which will never settle.
    this.#release();
    const next = new Promise<boolean>((resolve, reject) => {
      const abort = () => reject(signal.reason);
      const timer = patienceMs === undefined ? undefined : setTimeout(() => resolve(false), patienceMs);
      this.#wake = () => resolve(true);
      signal.addEventListener('abort', abort, { once: true });
      this.#release = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      };
    });
    return next.finally(this.#release);
  }

  #take(change: CommandChange): void {
    if (change.kind === 'gone') this.#isGone = true;
    else if (change.kind === 'started') this.#started(change.command);
    else if (change.kind === 'finished') this.#finished(change.command);
    this.#hasChanged = true;
    this.#wake();
  }

  #started(command: Command): void {
    if (this.#running !== undefined) return;
    this.#running = command.id;
    this.#commands.set(command.id, command);
    const [oldest] = this.#commands.keys();
    if (oldest === undefined || this.#commands.size <= MAX_COMMANDS) return;
    this.#commands.delete(oldest);
    this.#isCut = true;
  }

  #finished(command: Command): void {
    if (this.#running === command.id) this.#running = undefined;
    if (this.#commands.has(command.id)) this.#commands.set(command.id, command);
  }
}

/**
 * Resolves once the terminal's program has exited or the terminal is closed, at once if that has happened before.
 * Rejects with the signal's reason.
 */
export async function untilGone(
  commands: Pick<Commands, 'follow'>,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const watch = new ShellWatch(commands, id, signal);
    try {
      for (;;) await watch.changed();
    } finally {
      watch.close();
    }
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
