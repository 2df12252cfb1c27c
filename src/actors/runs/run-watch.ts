import type { Command } from '../../contract/command.js';
import { MAX_COMMANDS } from '../../contract/limits.js';
import type { RunMark } from '../../workers/shard/stages/command-plan.js';
import type { CommandChange, Commands } from '../commands/commands.js';
import { ShellWatch } from '../waits/shell-watch.js';

type Over = Extract<RunMark, { kind: 'over' }>;

/**
 * Follows one run in one terminal: the commands that carry its id, and what its shell reports about its line. Must be
 * closed.
 */
export class RunWatch {
  readonly #runId: string;
  readonly #shell: ShellWatch;
  readonly #commands = new Map<string, Command>();
  #isCut = false;
  #taken: string | undefined;
  #over: Over | undefined;
  #answers = 0;

  /** Throws terminal-not-found. */
  constructor(
    commands: Pick<Commands, 'follow' | 'ofRun'>,
    { id, runId }: { id: string; runId: string },
    signal: AbortSignal,
  ) {
    this.#runId = runId;
    // Commands from before a restart of the service.
    for (const command of commands.ofRun(id, runId)) this.#commands.set(command.id, command);
    this.#shell = new ShellWatch(commands, id, signal, (change) => this.#take(change));
  }

  /** The commands of the run, in the order in which they began. */
  get commands(): readonly Command[] {
    return [...this.#commands.values()];
  }

  /** Whether the first commands are missing. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** The command that ended last. */
  get ended(): Command | undefined {
    return this.commands.findLast(({ endedAt }) => endedAt !== null);
  }

  /** Cursor where the shell took the line; undefined before. */
  get taken(): string | undefined {
    return this.#taken;
  }

  /** How the shell finished with the line; undefined before. */
  get over(): Over | undefined {
    return this.#over;
  }

  /** Number of probes that the line editor has answered. */
  get answers(): number {
    return this.#answers;
  }

  /** See {@link ShellWatch.changed}. */
  changed(patienceMs?: number): Promise<boolean> {
    return this.#shell.changed(patienceMs);
  }

  close(): void {
    this.#shell.close();
  }

  #take(change: CommandChange): void {
    switch (change.kind) {
      case 'started':
      case 'finished':
        if (change.command.runId === this.#runId) this.#keep(change.command);
        return;
      case 'taken':
        if (change.runId === this.#runId) this.#taken = change.cursor;
        return;
      case 'over':
        if (change.runId === this.#runId) this.#over = change;
        return;
      case 'lineEditor':
        this.#answers++;
    }
  }

  #keep(command: Command): void {
    this.#commands.set(command.id, command);
    const [oldest] = this.#commands.keys();
    if (oldest === undefined || this.#commands.size <= MAX_COMMANDS) return;
    this.#commands.delete(oldest);
    this.#isCut = true;
  }
}
