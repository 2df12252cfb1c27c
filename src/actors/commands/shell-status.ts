import type { Command, Integration } from '../../contract/command.js';
import type { CommandLog } from './command-log.js';

/** State of a terminal's shell at this moment. */
export interface ShellStatus {
  /**
   * The shell that reports the terminal's commands: the expected shell, until something shows that it does not report.
   */
  integration: Integration;
  /** The shell has shown its first prompt. */
  isReady: boolean;
  atPrompt: boolean;
  /** The shell asks for the remainder of a command. */
  isContinued: boolean;
  /** Its line editor has the keys of runs bound. */
  takesRuns: boolean;
  /** The shell keeps the line that was being edited before a run. */
  hasDraft: boolean;
  /** The run whose line the shell is working on. */
  runId: string | undefined;
  /** When its latest prompt came, on the clock of `hrMs`. */
  promptAt: number | null;
  /** The innermost command that runs. */
  running: Command | null;
  /** The command that ended last. */
  last: Command | null;
  /** When that end was reported, on the clock of `hrMs`; null when no command has ended. */
  lastEndAt: number | null;
}

/** Returns the state according to a log. The shell of a terminal that has exited waits for nothing. */
export function shellStatusOf(
  { state, promptAt, atPrompt, running, last, lastEndAt }: CommandLog,
  { integration, hasExited }: { integration: Integration; hasExited: boolean },
): ShellStatus {
  return {
    integration,
    isReady: promptAt !== null,
    atPrompt: atPrompt && !hasExited,
    isContinued: (state?.isContinued ?? false) && !hasExited,
    takesRuns: state?.levels.at(-1)?.takesRuns ?? false,
    hasDraft: (state?.hasDraft ?? false) && !hasExited,
    runId: state?.run?.runId,
    promptAt,
    running,
    last,
    lastEndAt,
  };
}
