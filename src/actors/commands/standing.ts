import type { Command, Integration } from '../../contract/command.js';
import type { CommandLog } from './command-log.js';

/** What is known of a terminal's shell at this moment. */
export interface Standing {
  /** The shell that reports its commands; the one expected for as long as nothing has shown that it does not. */
  integration: Integration;
  /** It has shown a first prompt. */
  isReady: boolean;
  atPrompt: boolean;
  /** It asks for the rest of a command. */
  isContinued: boolean;
  /** Its line editor takes the lines of runs by keys of their own. */
  takesRuns: boolean;
  /** It keeps the line that stood there before a run. */
  hasDraft: boolean;
  /** The run at whose line it is. */
  runId: string | undefined;
  /** When the prompt that it shows, or showed last, came; on the clock of `hrMs`. */
  promptAt: number | null;
  /** The innermost command that runs. */
  running: Command | null;
  /** The command that ended last. */
  last: Command | null;
  /** When it was reported, on the clock of `hrMs`; null when none has. */
  lastEndAt: number | null;
}

/** Reads it off a log. The shell of a terminal that has exited waits for nothing. */
export function standingOf(
  { state, promptAt, atPrompt, running, last, lastEndAt }: CommandLog,
  { integration, hasExited }: { integration: Integration; hasExited: boolean },
): Standing {
  return {
    integration,
    isReady: promptAt !== null,
    atPrompt: atPrompt && !hasExited,
    isContinued: (state?.isContinued ?? false) && !hasExited,
    takesRuns: state?.levels.at(-1)?.takesRuns ?? false,
    hasDraft: (state?.hasDraft ?? false) && !hasExited,
    runId: state?.run?.runId,
    ...{ promptAt, running, last, lastEndAt },
  };
}
