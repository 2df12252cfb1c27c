import type { Command } from '../../contract/command.js';
import { MAX_COMMAND_LINE_CHARS } from '../../contract/limits.js';
import type { Principal } from '../../contract/principal.js';
import { newMarkState } from '../../workers/shard/stages/command-levels.js';
import type { CommandMark, MarkState, RunMark } from '../../workers/shard/stages/command-plan.js';
import { type EndedChanges, EndedCommands, positionOfCommand } from './ended-commands.js';
import { ExpectedLines } from './expected-lines.js';
import type { ExpectedLine, KeptShell } from './kept-record.js';

/** A change that marks bring, as followers of a terminal's commands receive it. */
export type LogChange =
  | { kind: 'started' | 'finished'; command: Command; hrMs: number }
  | { kind: 'prompt'; hrMs: number }
  | RunMark;

/** Returns the principal that typed the line of a run, or, without a run, of a command that starts now; null if uncertain. */
type TypistOf = (runId: string | undefined) => Principal | null;

export interface CommandLogParts {
  /** Stored state of the terminal's shell. */
  kept?: KeptShell;
  /** Ids of its stored commands that have ended. */
  ended: readonly string[];
  /** Reads an ended command; undefined when it is damaged or not stored. */
  read: (commandId: string) => Command | undefined;
}

type OpenCommand = KeptShell['open'][number];

interface End {
  hrMs: number;
  exitCode: number | null;
  /** Cursor at the end of the output; null where it is unknown. */
  end: string | null;
}

/** One terminal's commands, as its shell's marks report them. Pure data: waits for nothing and notifies nobody. */
export class CommandLog {
  readonly #ended: EndedCommands;
  /** Running commands, outermost first. */
  readonly #open = new Map<string, OpenCommand>();
  /** Ids of commands presumed to have ended with their terminal; a shard that reaches their end marks later completes them. */
  readonly #presumed = new Set<string>();
  readonly #expected: ExpectedLines;
  #state: MarkState | undefined;
  #promptAt: number | null;
  #last: Command | null;
  #lastEndAt: number | null;

  constructor({ kept, ended, read }: CommandLogParts) {
    this.#ended = new EndedCommands({ ids: ended, chars: kept?.chars ?? 0, read });
    this.#state = kept?.state;
    this.#promptAt = kept?.promptAt ?? null;
    this.#last = (kept?.last && this.#ended.get(kept.last)) || null;
    this.#lastEndAt = kept?.lastEndAt ?? null;
    this.#expected = new ExpectedLines(kept?.expected ?? {});
    for (const open of kept?.open ?? []) this.#open.set(open.command.id, open);
  }

  /** State after the last mark taken; undefined before the first. */
  get state(): MarkState | undefined {
    return this.#state;
  }

  /** State for a shard to continue from, with all expected tokens; undefined where it begins anew. */
  get plan(): MarkState | undefined {
    if (this.#expected.size === 0) return this.#state;
    const state = this.#state ?? newMarkState();
    const tokens = new Set([...state.tokens, ...this.#expected.tokens]);
    return { ...state, tokens: [...tokens] };
  }

  /** When the shell last showed a prompt, on the clock of `hrMs`; null before the first prompt. */
  get promptAt(): number | null {
    return this.#promptAt;
  }

  get atPrompt(): boolean {
    return this.#state?.atPrompt ?? false;
  }

  /**
   * Whether a shell has reported anything itself. Marks typed around a command, in a shell that is not integrated, do
   * not count.
   */
  get isTold(): boolean {
    return this.#promptAt !== null || (this.#state?.levels.some(({ pid }) => pid !== 0) ?? false);
  }

  /** Number of running commands; shells within shells have a command each. */
  get openCount(): number {
    return this.#open.size;
  }

  /** The innermost command that runs. */
  get running(): Command | null {
    return [...this.#open.values()].at(-1)?.command ?? null;
  }

  /** The command that ended last. */
  get last(): Command | null {
    return this.#last;
  }

  /** When its end was reported, on the clock of `hrMs`; null when none has ended. */
  get lastEndAt(): number | null {
    return this.#lastEndAt;
  }

  /** Returns up to `limit` commands, including running commands, newest first. */
  list(limit: number): Command[] {
    const open = [...this.#open.values()].map(({ command }) => command);
    const both = [...open, ...this.#ended.newest(limit)];
    return both.sort((a, b) => positionOfCommand(b.id) - positionOfCommand(a.id)).slice(0, limit);
  }

  find(commandId: string): Command | undefined {
    return this.#open.get(commandId)?.command ?? this.#ended.get(commandId);
  }

  /** Registers a sentinel token and its line, so that a replacement shard gets them, too. */
  expect(token: string, line: ExpectedLine): void {
    this.#expected.add(token, line);
  }

  /** Returns whether a token for a line of this run is still to come. */
  isExpected(runId: string): boolean {
    return Object.values(this.#expected.kept()).some((line) => line.runId === runId);
  }

  /** Returns the kept commands of this run, in the order in which they began. */
  ofRun(runId: string): Command[] {
    const open = [...this.#open.values()].map(({ command }) => command);
    const both = [...this.#ended.ofRun(runId), ...open.filter((command) => command.runId === runId)];
    return both.sort((a, b) => positionOfCommand(a.id) - positionOfCommand(b.id));
  }

  /**
   * Takes a mark and returns the change it brings; undefined for a mark that is not new, such as a mark that a second
   * shard finds again.
   */
  take(mark: CommandMark, typistOf: TypistOf = () => null): LogChange | undefined {
    if (mark.state.position < (this.#state?.position ?? 0)) return undefined;
    this.#state = mark.state;
    switch (mark.kind) {
      case 'started':
        return this.#start(mark, typistOf);
      case 'finished':
        return this.#finish(mark);
      case 'prompt':
        this.#promptAt = mark.hrMs;
        return { kind: 'prompt', hrMs: mark.hrMs };
      default:
        return mark;
    }
  }

  /** Ends all running commands with the terminal's program; the outermost command gets the exit code. */
  exit(exitCode: number | null, hrMs: number): LogChange[] {
    const innermostFirst = [...this.#open.values()].reverse();
    return innermostFirst.map((open, index) => {
      this.#presumed.add(open.command.id);
      const isOutermost = index === innermostFirst.length - 1;
      return this.#end(open, { hrMs, exitCode: isOutermost ? exitCode : null, end: null });
    });
  }

  /** Returns the state to store; undefined before the first mark or token. */
  kept(): KeptShell | undefined {
    if (!this.#state && this.#expected.size === 0) return undefined;
    return {
      kind: 'shell',
      state: this.#state ?? newMarkState(),
      promptAt: this.#promptAt,
      open: [...this.#open.values()],
      last: this.#last?.id ?? null,
      lastEndAt: this.#lastEndAt,
      chars: this.#ended.chars,
      expected: this.#expected.kept(),
    };
  }

  /** Returns the changes of ended commands to write, see {@link EndedCommands.changes}. */
  changes(): EndedChanges {
    return this.#ended.changes();
  }

  stored(changes: EndedChanges): void {
    this.#ended.stored(changes);
  }

  #start(mark: Extract<CommandMark, { kind: 'started' }>, typistOf: TypistOf): LogChange | undefined {
    const { commandId: id, token = '', cwd, at, hrMs, cursor } = mark;
    if (this.#open.has(id)) return undefined;
    // The state from the shard keeps the token until its end mark comes, so it need not stay expected here.
    const expected = this.#expected.take(token);
    const { commandLine } = expected ?? mark;
    const runId = expected?.runId ?? mark.runId;
    // A command that has ended begins again only if the stored state of its shell was damaged.
    this.#ended.remove(id);
    const command: Command = {
      id,
      commandLine: commandLine.slice(0, MAX_COMMAND_LINE_CHARS),
      cwd,
      ...(runId !== undefined && { runId }),
      typedBy: typistOf(runId),
      startedAt: at,
      endedAt: null,
      durationMs: null,
      exitCode: null,
      outputCursor: { start: cursor, end: null },
    };
    this.#open.set(id, { command, beganAt: hrMs });
    return { kind: 'started', command, hrMs };
  }

  #finish({ commandId, exitCode, hrMs, cursor }: Extract<CommandMark, { kind: 'finished' }>) {
    const open = this.#open.get(commandId);
    if (open) return this.#end(open, { hrMs, exitCode, end: cursor });
    if (this.#presumed.delete(commandId)) this.#complete(commandId, exitCode, cursor);
    return undefined;
  }

  #end({ command, beganAt }: OpenCommand, { hrMs, exitCode, end }: End): LogChange {
    // This clock is never set, so the end does not come before the beginning.
    const durationMs = Math.max(0, Math.round(hrMs - beganAt));
    const ended: Command = {
      ...command,
      endedAt: command.startedAt + durationMs,
      durationMs,
      exitCode,
      outputCursor: { start: command.outputCursor.start, end },
    };
    this.#open.delete(command.id);
    this.#ended.add(ended);
    this.#last = ended;
    this.#lastEndAt = hrMs;
    return { kind: 'finished', command: ended, hrMs };
  }

  #complete(commandId: string, exitCode: number | null, end: string): void {
    const presumed = this.#ended.get(commandId);
    if (!presumed) return;
    const { start } = presumed.outputCursor;
    const command = { ...presumed, exitCode: exitCode ?? presumed.exitCode, outputCursor: { start, end } };
    this.#ended.add(command);
    if (this.#last?.id === commandId) this.#last = command;
  }
}
