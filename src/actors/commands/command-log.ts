import type { Command } from '../../contract/command.js';
import { MAX_COMMAND_LINE_CHARS, MAX_COMMANDS } from '../../contract/limits.js';
import { newMarkState } from '../../workers/shard/taps/command-levels.js';
import type { CommandMark, MarkState, RunMark } from '../../workers/shard/taps/command-plan.js';
import { type EndedChanges, EndedCommands, positionOf } from './ended-commands.js';
import { ExpectedLines } from './expected-lines.js';
import type { ExpectedLine, KeptShell } from './kept-record.js';

/** What a mark means to those who follow a terminal's commands. */
export type LogChange =
  | { kind: 'started' | 'finished'; command: Command; hrMs: number }
  | { kind: 'prompt'; hrMs: number }
  | RunMark;

export interface CommandLogParts {
  /** What was kept of the terminal. */
  kept?: KeptShell;
  /** Ids of its ended commands that were kept. */
  ended: readonly string[];
  /** Reads one of those. */
  read: (commandId: string) => Command | undefined;
}

interface OpenCommand {
  command: Command;
  /** On the clock of `hrMs`. */
  beganAt: number;
}

interface End {
  hrMs: number;
  exitCode: number | null;
  /** Cursor at the end of the output, where it is known. */
  end: string | null;
}

/** One terminal's commands, as its shell's marks tell of them: data alone, that neither waits nor tells anybody. */
export class CommandLog {
  readonly #ended: EndedCommands;
  /** Outermost first. */
  readonly #open = new Map<string, OpenCommand>();
  /** Ended with their terminal; a shard that comes to its end later may know more. */
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

  /** How far the marks are taken; undefined before the first. */
  get state(): MarkState | undefined {
    return this.#state;
  }

  /** Where a shard goes on; undefined where it begins anew. */
  get plan(): MarkState | undefined {
    if (this.#expected.size === 0) return this.#state;
    const state = this.#state ?? newMarkState();
    const tokens = new Set([...state.tokens, ...this.#expected.tokens]);
    return { ...state, tokens: [...tokens] };
  }

  /** When its shell showed a prompt last. */
  get promptAt(): number | null {
    return this.#promptAt;
  }

  get atPrompt(): boolean {
    return this.#state?.atPrompt ?? false;
  }

  /** A shell has told of itself: what is typed around a command, in a shell that is not integrated, does not count. */
  get isTold(): boolean {
    return this.#promptAt !== null || (this.#state?.levels.some(({ pid }) => pid !== 0) ?? false);
  }

  /** Commands that run: shells within shells have one each. */
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

  /** When that was reported, on the clock of `hrMs`; null when none has ended. */
  get lastEndAt(): number | null {
    return this.#lastEndAt;
  }

  /** Those that run among them; the last to begin comes first. */
  list(limit: number): Command[] {
    const open = [...this.#open.values()].map(({ command }) => command);
    const both = [...open, ...this.#ended.newest(limit)];
    return both.sort((a, b) => positionOf(b.id) - positionOf(a.id)).slice(0, limit);
  }

  find(commandId: string): Command | undefined {
    return this.#open.get(commandId)?.command ?? this.#ended.get(commandId);
  }

  /** Registers a sentinel token and the line it stands for, so that a replacement shard can be given it, too. */
  expect(token: string, line: ExpectedLine): void {
    this.#expected.add(token, line);
  }

  /** Whether a token that stands for a line of this run has not come. */
  isExpected(runId: string): boolean {
    return Object.values(this.#expected.kept()).some((line) => line.runId === runId);
  }

  /** Commands of this run that are kept, in the order in which they began. */
  ofRun(runId: string): Command[] {
    return this.list(MAX_COMMANDS)
      .filter((command) => command.runId === runId)
      .reverse();
  }

  /** Undefined for a mark that tells nothing new, as one that a second shard finds again. */
  take(mark: CommandMark): LogChange | undefined {
    if (mark.state.position < (this.#state?.position ?? 0)) return undefined;
    this.#state = mark.state;
    switch (mark.kind) {
      case 'started':
        return this.#start(mark);
      case 'finished':
        return this.#finish(mark);
      case 'prompt':
        this.#promptAt = mark.hrMs;
        return { kind: 'prompt', hrMs: mark.hrMs };
      default:
        return mark;
    }
  }

  /** The terminal's program has ended, and with it whatever ran: the outermost command with its exit code. */
  exit(exitCode: number | null, hrMs: number): LogChange[] {
    const innermostFirst = [...this.#open.values()].reverse();
    return innermostFirst.map((open, index) => {
      this.#presumed.add(open.command.id);
      const isOutermost = index === innermostFirst.length - 1;
      return this.#end(open, { hrMs, exitCode: isOutermost ? exitCode : null, end: null });
    });
  }

  /** What is to be kept of the shell; undefined before its first mark and the first token. */
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

  /** Ended commands that are to be written, see {@link EndedCommands.changes}. */
  changes(): EndedChanges {
    return this.#ended.changes();
  }

  stored(changes: EndedChanges): void {
    this.#ended.stored(changes);
  }

  #start(mark: Extract<CommandMark, { kind: 'started' }>): LogChange | undefined {
    const { commandId: id, token = '', cwd, at, hrMs, cursor } = mark;
    if (this.#open.has(id)) return undefined;
    // The shard's own state has the token until its end comes.
    const expected = this.#expected.take(token);
    const { commandLine } = expected ?? mark;
    const runId = expected?.runId ?? mark.runId;
    // Told again, since what was kept of its shell has been damaged.
    this.#ended.remove(id);
    const command: Command = {
      id,
      commandLine: commandLine.slice(0, MAX_COMMAND_LINE_CHARS),
      cwd,
      ...(runId !== undefined && { runId }),
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
    // By the clock that is never set: the end does not come before the beginning.
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
