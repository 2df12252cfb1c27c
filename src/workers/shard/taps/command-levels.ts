import { MAX_SHELL_LEVELS } from '../../../contract/limits.js';
import type { MarkState, ShellLevel } from './command-plan.js';
import type { Mark } from './mark.js';

/** What a mark says has happened. */
export type LevelEvent =
  | { kind: 'finished'; commandId: string; exitCode: number | null }
  | { kind: 'started'; commandId: string; token?: string }
  | { kind: 'prompt' };

export interface Step {
  state: MarkState;
  events: LevelEvent[];
}

/** Stands for the shell of a command that is told of by a token: such a shell says nothing else. */
const NO_SHELL = 0;

export function newMarkState(): MarkState {
  return { position: 0, levels: [], atPrompt: false, cwd: null, tokens: [] };
}

/**
 * Takes one mark that counts. Shells within shells stand one above the other: who speaks while a command runs is a
 * shell that it runs, and once an outer one speaks again the inner ones are gone.
 *
 * @param cursor - how the screen stands after the mark, where output of a command may begin
 */
export function takeMark(before: MarkState, mark: Mark, cursor: string): Step {
  const state = { ...before, position: mark.end };
  if (mark.kind === 'commandLine') return { state, events: [] };
  if (mark.kind === 'cwd') return { state: { ...state, cwd: mark.cwd }, events: [] };
  if (mark.pid === NO_SHELL) return takeSentinel(state, mark, cursor);
  const { outer, own, inner } = split(state.levels, mark.pid);
  const levels = [...outer, own];
  const ended = finishAll(inner);
  switch (mark.kind) {
    case 'promptStart':
      if (levels.length > MAX_SHELL_LEVELS) return { state, events: [] };
      // A shell that did not tell of the end of its command has been replaced, as by `exec`.
      return {
        state: { ...state, levels: [...outer, idle(own)], atPrompt: false },
        events: [...ended, ...finish(own, null)],
      };
    case 'promptEnd':
      // A prompt inside of a command is drawn by a program, and one that is drawn again is no news.
      if (own.running || state.atPrompt || levels.length > MAX_SHELL_LEVELS) return { state, events: [] };
      return { state: { ...state, levels, atPrompt: true }, events: [...ended, { kind: 'prompt' }] };
    case 'outputStart':
      if (levels.length > MAX_SHELL_LEVELS) return { state, events: [] };
      return start({ ...state, levels: outer }, mark, cursor, [...ended, ...finish(own, null)]);
    case 'outputEnd':
      if (!own.running && inner.length === 0) return { state, events: [] };
      return {
        state: { ...state, levels: [...outer, idle(own)], atPrompt: false },
        events: endOf([own, ...inner], mark.exitCode),
      };
  }
}

/** The terminal's program has ended, and all commands with it. Its exit code is that of what its own shell ran. */
export function takeExit(state: MarkState, exitCode: number | null): Step {
  const [own, ...inner] = state.levels;
  const events = [...finishAll(inner), ...(own ? finish(own, exitCode) : [])];
  return { state: { ...state, levels: [], atPrompt: false }, events };
}

function takeSentinel(state: MarkState, mark: Mark, cursor: string): Step {
  if (!state.tokens.includes(mark.key)) return { state, events: [] };
  const at = state.levels.findLastIndex(({ pid }) => pid === NO_SHELL);
  if (mark.kind === 'outputStart') {
    // Whoever types these lines types them at the shell: one that is open there was broken off before its end.
    const isFull = state.levels.length >= MAX_SHELL_LEVELS;
    const isOver = at !== -1 && at === state.levels.length - 1;
    const levels = isOver || isFull ? state.levels.slice(0, -1) : state.levels;
    return start({ ...state, levels }, mark, cursor, finishAll(state.levels.slice(levels.length)));
  }
  if (mark.kind !== 'outputEnd') return { state, events: [] };
  const tokens = state.tokens.filter((token) => token !== mark.key);
  if (at === -1) return { state: { ...state, tokens }, events: [] };
  return {
    state: { ...state, tokens, levels: state.levels.slice(0, at), atPrompt: false },
    events: [...finishAll(state.levels.slice(at + 1)), ...finish(state.levels[at]!, mark.exitCode)],
  };
}

/** The command has the same id whenever the output is gone through. */
function start(state: MarkState, mark: Mark, cursor: string, events: LevelEvent[]): Step {
  const commandId = `cmd_${mark.begin.toString(36)}`;
  const level: ShellLevel = { pid: mark.pid, running: { commandId, start: cursor } };
  return {
    state: { ...state, levels: [...state.levels, level], atPrompt: false },
    events: [...events, { kind: 'started', commandId, ...(mark.pid === NO_SHELL && { token: mark.key }) }],
  };
}

/** The levels around that of a shell. One that is new stands in place of a shell that runs nothing: that is gone. */
function split(
  levels: readonly ShellLevel[],
  pid: number,
): { outer: ShellLevel[]; own: ShellLevel; inner: ShellLevel[] } {
  const at = levels.findLastIndex((level) => level.pid === pid);
  if (at !== -1) return { outer: levels.slice(0, at), own: levels[at]!, inner: levels.slice(at + 1) };
  const outer = levels.at(-1)?.running === null ? levels.slice(0, -1) : [...levels];
  return { outer, own: { pid, running: null }, inner: [] };
}

function idle({ pid }: ShellLevel): ShellLevel {
  return { pid, running: null };
}

function finish({ running }: ShellLevel, exitCode: number | null): LevelEvent[] {
  return running ? [{ kind: 'finished', commandId: running.commandId, exitCode }] : [];
}

/** A shell within another one ends with the code of the command that ends it, as `exit 3` does: it has told of no end. */
function endOf([own, inner, ...innermost]: ShellLevel[], exitCode: number | null): LevelEvent[] {
  return [
    ...finishAll(innermost),
    ...[inner, own].flatMap((level) => (level ? finish(level, exitCode) : [])),
  ];
}

/** The innermost first. Nobody has told how they ended. */
function finishAll(levels: readonly ShellLevel[]): LevelEvent[] {
  return levels.flatMap((level) => finish(level, null)).reverse();
}
