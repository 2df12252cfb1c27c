import { MAX_SHELL_LEVELS } from '../../../contract/limits.js';
import type { LevelEvent, MarkState, RunLine, ShellLevel } from './command-plan.js';
import type { Mark } from './mark.js';

export interface Step {
  state: MarkState;
  events: LevelEvent[];
}

/** Stands for a shell without integration, whose command is reported by marks with a token and nothing else. */
const NO_SHELL = 0;

export function newMarkState(): MarkState {
  return { position: 0, levels: [], atPrompt: false, cwd: null, tokens: [] };
}

/**
 * Takes one mark that counts. Nested shells form levels: a shell that reports while a command runs was started by that
 * command, and once an outer shell reports again, the inner shells are gone.
 *
 * @param cursor - encoded cursor after the mark, where output of a command may begin
 */
export function takeMark(before: MarkState, mark: Mark, cursor: string): Step {
  const { state, events } = take(before, mark, cursor);
  const { run, levels } = state;
  // The shell of the run has ended.
  if (!run || levels.some(({ pid }) => pid === run.pid)) return { state, events };
  return { state: { ...state, run: undefined }, events: [...events, over(run, 'gone')] };
}

function take(before: MarkState, mark: Mark, cursor: string): Step {
  const state = { ...before, position: mark.end };
  if (mark.kind === 'commandLine') return { state, events: [] };
  if (mark.kind === 'cwd') return { state: { ...state, cwd: mark.cwd }, events: [] };
  if (mark.kind === 'lineEditor') return { state, events: [{ kind: 'lineEditor' }] };
  if (mark.kind === 'draftBack')
    return { state: { ...state, hasDraft: false }, events: [{ kind: 'draftBack' }] };
  if (mark.pid === NO_SHELL) return takeSentinel(state, mark, cursor);
  const { run } = state;
  const { outer, own, inner } = split(state.levels, mark.pid);
  const levels = [...outer, own];
  const ended = finishAll(inner);
  switch (mark.kind) {
    case 'promptStart':
      if (levels.length > MAX_SHELL_LEVELS) return { state, events: [] };
      // A shell that did not report the end of its command was replaced, as by `exec`.
      return {
        state: {
          ...state,
          levels: [...outer, { ...idle(own), takesRuns: mark.takesRuns, promptCount: undefined }],
          atPrompt: false,
          isContinued: false,
          run: run?.pid === mark.pid ? { ...run, hasPrompt: true } : run,
        },
        events: [...ended, ...finish(own, null)],
      };
    case 'promptEnd':
      // A prompt within a command is drawn by a program, and a prompt that is drawn again reports nothing new.
      if (own.running || isDrawnAgain(state, own, mark.count) || levels.length > MAX_SHELL_LEVELS)
        return { state, events: [] };
      return shown(
        {
          ...state,
          levels: [...outer, { ...own, promptCount: mark.count }],
          atPrompt: true,
          isContinued: false,
        },
        mark,
        ended,
      );
    case 'outputStart':
      if (levels.length > MAX_SHELL_LEVELS) return { state, events: [] };
      return start({ ...state, levels: outer }, mark, cursor, [...ended, ...finish(own, null)], own);
    case 'outputEnd':
      if (!own.running && inner.length === 0) return { state: refused(state, mark), events: [] };
      return {
        state: { ...state, levels: [...outer, idle(own)], atPrompt: false },
        events: endOf([own, ...inner], mark.exitCode),
      };
    case 'runTaken':
      if (levels.length > MAX_SHELL_LEVELS) return { state, events: [] };
      return takeRun({ ...state, levels: [...outer, idle(own)] }, mark, [...ended, ...finish(own, null)]);
    case 'runIncomplete':
      // By then the shell has put its own line back.
      return incomplete({ ...state, levels, atPrompt: true, hasDraft: false }, mark, ended);
    case 'continuation':
      return told(before, incomplete({ ...state, levels, atPrompt: false, isContinued: true }, mark, ended));
  }
}

/** A shell accepts the line of a run: all commands that it starts before its next prompt belong to that run. */
function takeRun(state: MarkState, mark: Mark & { kind: 'runTaken' }, events: LevelEvent[]): Step {
  const { token: runId, pid, status } = mark;
  const run: RunLine = { runId, pid, status, hasStarted: false, hasPrompt: false, exitCode: null };
  const hasDraft = state.hasDraft || mark.hasDraft;
  return {
    state: { ...state, run, hasDraft, atPrompt: false, isContinued: false },
    events: [...events, ...(state.run ? [over(state.run, 'gone')] : []), { kind: 'taken', runId }],
  };
}

/**
 * Returns whether a prompt is shown that was shown before. bash counts its prompts, because it shows a new prompt
 * without a `promptStart` after a history event that it does not find. In other shells each new prompt has a
 * `promptStart`, also after the line of a run.
 */
function isDrawnAgain({ atPrompt, run }: MarkState, own: ShellLevel, count: number | undefined): boolean {
  if (count !== undefined) return count === own.promptCount;
  return atPrompt || (run?.pid === own.pid && !run.hasStarted && !run.hasPrompt);
}

function shown(state: MarkState, { pid }: Mark, ended: LevelEvent[]): Step {
  const { run } = state;
  const events: LevelEvent[] = [...ended, { kind: 'prompt' }];
  if (run?.pid !== pid) return { state, events };
  return { state: { ...state, run: undefined }, events: [...events, over(run, 'prompt')] };
}

/** Ends the shell's run because its line is incomplete, even if somebody types the remainder. */
function incomplete(state: MarkState, { pid }: Mark, ended: LevelEvent[]): Step {
  const { run } = state;
  if (run?.pid !== pid) return { state, events: ended };
  return { state: { ...state, run: undefined }, events: [...ended, over(run, 'incomplete')] };
}

/**
 * Adds an event where there is none: the state after a mark without an event reaches nobody. The further lines of a
 * command, of which a here-document has thousands, tell nothing new.
 */
function told({ isContinued }: MarkState, step: Step): Step {
  if (isContinued || step.events.length > 0) return step;
  return { ...step, events: [{ kind: 'continued' }] };
}

/** Notes a status reported while nothing runs: unless it was set before the run, the shell refused the run's line. */
function refused(state: MarkState, { pid, exitCode }: Mark & { kind: 'outputEnd' }): MarkState {
  const { run } = state;
  const isOfRun = run?.pid === pid && !run.hasStarted && exitCode !== run.status;
  return isOfRun ? { ...state, run: { ...run, exitCode } } : state;
}

function over({ runId, hasStarted, exitCode }: RunLine, how: 'prompt' | 'incomplete' | 'gone'): LevelEvent {
  return { kind: 'over', runId, how, hasStarted, exitCode: hasStarted ? null : exitCode };
}

/** Ends all commands with the terminal's program, whose exit code becomes that of the outermost shell's command. */
export function takeExit(state: MarkState, exitCode: number | null): Step {
  const [own, ...inner] = state.levels;
  const { run } = state;
  const events = [
    ...finishAll(inner),
    ...(own ? finish(own, exitCode) : []),
    ...(run ? [over(run, 'gone')] : []),
  ];
  return {
    state: { ...state, levels: [], atPrompt: false, run: undefined, isContinued: false, hasDraft: false },
    events,
  };
}

function takeSentinel(state: MarkState, mark: Mark, cursor: string): Step {
  if (!state.tokens.includes(mark.key)) return { state, events: [] };
  const at = state.levels.findLastIndex(({ pid }) => pid === NO_SHELL);
  if (mark.kind === 'outputStart') {
    // These lines are typed at a shell: a command of such a line that is still open was interrupted before its end.
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

/** Starts a command. Its id comes from the mark's position, so it is the same whenever the output is read again. */
function start(state: MarkState, mark: Mark, cursor: string, events: LevelEvent[], own?: ShellLevel): Step {
  const commandId = `cmd_${mark.begin.toString(36)}`;
  const zsh = mark.kind === 'outputStart' ? mark.zsh : undefined;
  const level: ShellLevel = {
    ...own,
    pid: mark.pid,
    running: { commandId, start: cursor, ...(zsh && { zsh }) },
  };
  const run = state.run?.pid === mark.pid ? { ...state.run, hasStarted: true } : undefined;
  const from = { ...(mark.pid === NO_SHELL && { token: mark.key }), ...(run && { runId: run.runId }) };
  return {
    state: {
      ...state,
      levels: [...state.levels, level],
      atPrompt: false,
      isContinued: false,
      run: run ?? state.run,
    },
    events: [...events, { kind: 'started', commandId, ...from }],
  };
}

/** Splits the levels around that of a shell. A new shell replaces an innermost shell that runs nothing and is gone. */
function split(
  levels: readonly ShellLevel[],
  pid: number,
): { outer: ShellLevel[]; own: ShellLevel; inner: ShellLevel[] } {
  const at = levels.findLastIndex((level) => level.pid === pid);
  if (at !== -1) return { outer: levels.slice(0, at), own: levels[at]!, inner: levels.slice(at + 1) };
  const outer = levels.at(-1)?.running === null ? levels.slice(0, -1) : [...levels];
  return { outer, own: { pid, running: null }, inner: [] };
}

function idle(own: ShellLevel): ShellLevel {
  return { ...own, running: null };
}

function finish({ running }: ShellLevel, exitCode: number | null): LevelEvent[] {
  return running ? [{ kind: 'finished', commandId: running.commandId, exitCode }] : [];
}

/**
 * Finishes the commands of a shell and of the shells within it. `exitCode` also counts for the command of the next
 * inner shell: a command such as `exit 3` ends that shell with its own code, and that shell reports no end of it.
 */
function endOf([own, inner, ...innermost]: ShellLevel[], exitCode: number | null): LevelEvent[] {
  return [
    ...finishAll(innermost),
    ...[inner, own].flatMap((level) => (level ? finish(level, exitCode) : [])),
  ];
}

/** Finishes the commands of these levels, the innermost first, with an unknown exit code. */
function finishAll(levels: readonly ShellLevel[]): LevelEvent[] {
  return levels.flatMap((level) => finish(level, null)).reverse();
}
