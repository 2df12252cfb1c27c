import type { Logger } from 'pino';
import type { Command, CommandList, CommandOutput, Integration } from '../../contract/command.js';
import { DomainError } from '../../contract/errors.js';
import type { Principal } from '../../contract/principal.js';
import type { Shelf } from '../../store/store.js';
import { hrMs } from '../../workers/clock.js';
import type { CommandPlan } from '../../workers/shard/stages/command-plan.js';
import type { EngineEvent } from '../events.js';
import type { Screens } from '../screens.js';
import type { TerminalMeta } from '../terminal-record.js';
import type { Terminals } from '../terminals.js';
import type { CommandCounts, CommandFigures } from './command-figures.js';
import type { CommandLog, LogChange } from './command-log.js';
import { CommandLogWriter } from './command-log-writer.js';
import { positionOfCommand } from './ended-commands.js';
import { FailedOutput, type FailureIndex } from './failed-output.js';
import type { ExpectedLine, KeptRecord } from './kept-record.js';
import { type ShellStatus, shellStatusOf } from './shell-status.js';

/** A change of a terminal's commands; changes come in the order they happened. */
export type CommandChange =
  | LogChange
  /** The terminal's program has ended, after the end of its last command, or the terminal was removed. Nothing follows. */
  | { kind: 'gone' };

export interface CommandsOptions {
  shelf: Shelf<KeptRecord>;
  terminals: () => Pick<Terminals, 'startOf' | 'announce'>;
  /** Returns the principal that began a run, if it is known. */
  ownerOf: (runId: string) => Principal | undefined;
  screens: () => Pick<Screens, 'rangeText' | 'expectMarks'>;
  /** Receives the output of commands that failed. */
  index: FailureIndex;
  /** Setting `search.index`. */
  isIndexing: () => boolean;
  logger: Pick<Logger, 'warn' | 'error'>;
}

/** The running and ended commands of all terminals, kept across a crash of the service. */
export class Commands {
  readonly #options: CommandsOptions;
  readonly #writer: CommandLogWriter;
  readonly #failedOutput: FailedOutput;
  /** Logs of all existing terminals, including exited terminals. */
  readonly #logs = new Map<string, CommandLog>();
  /** Terminals whose text may be searched. */
  readonly #indexed = new Set<string>();
  /** Terminals whose shells ask for input without having reported a prompt. */
  readonly #silent = new Set<string>();
  readonly #listeners = new Map<string, Set<(change: CommandChange) => void>>();
  readonly #counts: CommandCounts = { started: 0, succeeded: 0, failed: 0, unknown: 0 };

  constructor(options: CommandsOptions) {
    this.#options = options;
    this.#writer = new CommandLogWriter(options.shelf, options.logger);
    this.#failedOutput = new FailedOutput(options);
  }

  get counts(): Readonly<CommandCounts> {
    return this.#counts;
  }

  figures(): CommandFigures {
    const running = [...this.#logs.values()].reduce((sum, { openCount }) => sum + openCount, 0);
    return { ...this.#counts, running, failedWrites: this.#writer.failures };
  }

  /** Adds a terminal. Returns the plan for its shard: the nonce of its marks, and the state to continue from. */
  planOf(id: string, { marks, index }: TerminalMeta): CommandPlan {
    const log = this.#logs.get(id) ?? this.#writer.load(id);
    this.#logs.set(id, log);
    if (index) this.#indexed.add(id);
    return { nonce: marks.nonce, state: log.plan };
  }

  /** Removes the commands of all other terminals, which have gone while no service ran. */
  keepCommandsOf(terminalIds: Iterable<string>): void {
    this.#writer.keepOnly(new Set(terminalIds));
  }

  onEvent(event: EngineEvent): void {
    const log = this.#logs.get(event.id);
    if (!log) return;
    if (event.type === 'mark') {
      const change = log.take(event.mark, (runId) => this.#typistOf(event.id, runId));
      // Even without a change to report, the mark may have advanced the state.
      this.#writer.changed(event.id, log);
      if (change) this.#tell(event.id, change);
    } else if (event.type === 'exited') {
      const ends = log.exit(event.exit.exitCode, hrMs());
      if (ends.length > 0) this.#writer.changed(event.id, log);
      for (const end of ends) this.#tell(event.id, end);
      this.#gone(event.id);
    } else if (event.type === 'removed') {
      this.#logs.delete(event.id);
      this.#indexed.delete(event.id);
      this.#silent.delete(event.id);
      this.#writer.drop(event.id);
      this.#gone(event.id);
    }
  }

  /** Returns the last commands to begin, newest first. Throws terminal-not-found. */
  list(id: string, limit: number): CommandList {
    return { integration: this.#integrationOf(id), commands: this.#logOf(id).list(limit) };
  }

  /**
   * Resolves with the output of a command, up to now if it runs; only the end of it if it exceeds `maxBytes` of UTF-8.
   * Rejects with terminal-not-found and command-not-found.
   */
  async output(
    id: string,
    commandId: string,
    query: { raw: boolean; maxBytes: number },
  ): Promise<CommandOutput> {
    const { start, end } = this.find(id, commandId)?.outputCursor ?? {};
    if (start === undefined) throw new DomainError('command-not-found');
    const range = { ...query, start, end: end ?? undefined };
    const { text, truncated } = await this.#options.screens().rangeText(id, range);
    // The shard reports the end of a command before it answers, so this text may reach beyond that end.
    const isPassed = end === null && this.find(id, commandId)?.outputCursor.end;
    return isPassed ? this.output(id, commandId, query) : { id: commandId, raw: text, truncated };
  }

  /** Returns a kept command. Throws terminal-not-found. */
  find(id: string, commandId: string): Command | undefined {
    return this.#logOf(id).find(commandId);
  }

  /**
   * Accepts the marks of one command that carry this token, as marks of `line`; a shard or service that takes over does
   * so, too. Resolves once the shard knows the token, and the token is on disk or its write has failed. Rejects with
   * terminal-not-found.
   */
  async expectMarks(id: string, token: string, line: ExpectedLine): Promise<void> {
    const log = this.#logOf(id);
    log.expect(token, line);
    this.#writer.changed(id, log);
    await Promise.all([this.#options.screens().expectMarks(id, token), this.#writer.written()]);
  }

  /** Returns whether marks of a run are expected, or have come. Throws terminal-not-found. */
  isExpected(id: string, runId: string): boolean {
    const log = this.#logOf(id);
    return log.isExpected(runId) || log.ofRun(runId).length > 0;
  }

  /** Returns the commands of a run, in the order in which they began. Throws terminal-not-found. */
  ofRun(id: string, runId: string): Command[] {
    return this.#logOf(id).ofRun(runId);
  }

  /**
   * Marks a shell that asks for input without having reported a prompt: until it reports a prompt, it counts as not
   * integrated.
   */
  markSilent(id: string): void {
    this.#silent.add(id);
  }

  /** Returns the state of the terminal's shell at this moment. Throws terminal-not-found. */
  shellStatus(id: string): ShellStatus {
    const hasExited = this.#options.terminals().startOf(id).exit !== null;
    return shellStatusOf(this.#logOf(id), { integration: this.#integrationOf(id), hasExited });
  }

  /**
   * Calls `listener` with each change of the terminal's commands from now on, until the returned function is called. If
   * the terminal has exited, `listener` gets `gone` right afterwards. Throws terminal-not-found.
   */
  follow(id: string, listener: (change: CommandChange) => void): () => void {
    this.#logOf(id);
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(listener));
    if (this.#options.terminals().startOf(id).exit) queueMicrotask(() => this.#gone(id));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id);
    };
  }

  /** Resolves once the output of every command that has failed by now is in the search index, or left out. */
  async settled(): Promise<void> {
    await this.#failedOutput.settled();
  }

  /** Resolves once everything is written, or its write has failed. */
  async close(): Promise<void> {
    await this.#writer.close();
  }

  /** Throws terminal-not-found, also for a terminal that is about to be removed. */
  #logOf(id: string): CommandLog {
    this.#options.terminals().startOf(id);
    const log = this.#logs.get(id);
    if (!log) throw new DomainError('terminal-not-found');
    return log;
  }

  /**
   * Returns the principal that typed a command; null if that is uncertain. The mark of a command comes by another way
   * than the writes, so it cannot be matched with a single write. A line of a run is known by the run's id; for any
   * other line, all writes that may have reached the shell must be from the same writer.
   */
  #typistOf(id: string, runId: string | undefined): Principal | null {
    if (runId !== undefined) return this.#options.ownerOf(runId) ?? null;
    return this.#options.terminals().startOf(id).writers?.who ?? null;
  }

  #integrationOf(id: string): Integration {
    const { meta } = this.#options.terminals().startOf(id);
    const isTracked = this.#logOf(id).isTold || !this.#silent.has(id);
    return isTracked ? (meta.marks.shell ?? 'none') : 'none';
  }

  #tell(id: string, change: LogChange): void {
    if (change.kind === 'started' || change.kind === 'finished') {
      const { command } = change;
      if (change.kind === 'started') this.#counts.started++;
      else this.#ended(id, command);
      this.#options.terminals().announce({ type: 'command', id, command });
    }
    // Iterate over a copy: a listener that is added because of this change gets only later ones.
    for (const listener of [...(this.#listeners.get(id) ?? [])]) listener(change);
  }

  #ended(id: string, command: Command): void {
    const { exitCode } = command;
    if (exitCode === null) {
      this.#counts.unknown++;
    } else if (exitCode === 0) {
      this.#counts.succeeded++;
    } else {
      this.#counts.failed++;
      if (this.#indexed.has(id) && this.#options.isIndexing()) this.#index(id, command);
    }
  }

  #index(id: string, command: Command): void {
    const position = this.#logs.get(id)?.state?.position ?? 0;
    this.#failedOutput.add(id, command, Math.max(0, position - positionOfCommand(command.id)));
  }

  #gone(id: string): void {
    const listeners = this.#listeners.get(id);
    this.#listeners.delete(id);
    for (const listener of listeners ?? []) listener({ kind: 'gone' });
  }
}
