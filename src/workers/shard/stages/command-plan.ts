import type { ZshLine } from './mark.js';

/** A shell of a terminal, and its state. */
export interface ShellLevel {
  /** Process id that the shell reports; nested shells have different ids. 0 means a shell that reports none. */
  pid: number;
  /** The command that the shell runs. */
  running: { commandId: string; start: string; zsh?: ZshLine | undefined } | null;
  /** Whether the shell's line editor has the keys of runs bound. */
  takesRuns?: boolean | undefined;
  /** Number of the prompt that the shell showed last, if it counts its prompts. */
  promptCount?: number | undefined;
}

/** The line of a run that a shell has accepted; kept until the next prompt. */
export interface RunLine {
  runId: string;
  /** Process id of the shell. */
  pid: number;
  /** `$?` before the line. */
  status: number | null;
  /** Whether the shell has started a command of the line. */
  hasStarted: boolean;
  /** Whether the shell has begun to show a prompt after the line. */
  hasPrompt: boolean;
  /** Status other than that before the line, reported without a command: the shell has refused the line. */
  exitCode: number | null;
}

/** State after all marks of a terminal taken so far; plain data, from which another shard can continue. */
export interface MarkState {
  /** Position up to which marks are taken. */
  position: number;
  /** The shells that have reported, each nested in the shell before it. */
  levels: ShellLevel[];
  /** Whether the innermost shell waits for input at its prompt. */
  atPrompt: boolean;
  cwd: string | null;
  /** The run whose line a shell has accepted and is not done with. */
  run?: RunLine | undefined;
  /** Whether the innermost shell asks for the remainder of a command. */
  isContinued?: boolean | undefined;
  /** Whether a shell keeps the text that was in its line before a run. BACK_KEY of `line-keys.ts` restores that text. */
  hasDraft?: boolean | undefined;
  /** Tokens of {@link ShardApi.expectMarks} whose last mark has not come. */
  tokens: string[];
}

/** Data that a shard needs to follow a terminal's commands. */
export interface CommandPlan {
  /** Marks of the shells count only with this nonce. */
  nonce: string;
  /** State from which to continue after another shard; absent for a new terminal. */
  state?: MarkState;
}

/** Time at which a mark came. */
export interface MarkTime {
  /** Epoch milliseconds. */
  at: number;
  /** Milliseconds of `process.hrtime`, which all threads share, to order marks and typed input. */
  hrMs: number;
}

/** Event that a mark reports. */
export type LevelEvent =
  /** `exitCode` is null if it was not reported. */
  | { kind: 'finished'; commandId: string; exitCode: number | null }
  | {
      kind: 'started';
      commandId: string;
      /** Token of the mark, if no shell reported the command. The caller that expects the token knows the line. */
      token?: string;
      /** The run whose line started it. */
      runId?: string;
    }
  /** The shell waits for input. */
  | { kind: 'prompt' }
  /** The shell has replaced its own line with the run's line, and accepts it. */
  | { kind: 'taken'; runId: string }
  /**
   * The shell is done with the line: it shows a `prompt` again, asks for the remainder of an `incomplete` line, or is
   * `gone`. `exitCode` is the status that it reported for a line that started no command; null if unknown.
   */
  | {
      kind: 'over';
      runId: string;
      how: 'prompt' | 'incomplete' | 'gone';
      /** Whether the line started a command. */
      hasStarted: boolean;
      exitCode: number | null;
    }
  /** The line editor has read a probe, and everything that was typed before the probe. */
  | { kind: 'lineEditor' }
  /** The text that was in the line before a run is restored. */
  | { kind: 'draftBack' }
  /** The shell asks for the remainder of a command. */
  | { kind: 'continued' };

type Reported<Kind extends LevelEvent['kind']> = Extract<LevelEvent, { kind: Kind }>;

/**
 * Something that a shell has reported. `state` is the state after the mark. `cursor` is where the output of a started
 * command begins, where that of a finished command ends, and where a prompt ends.
 */
export type CommandMark = MarkTime & { state: MarkState } & (
    | (Reported<'started'> & { commandLine: string; cwd: string | null; cursor: string })
    | (Reported<'finished'> & { cursor: string })
    | (Reported<'prompt'> & { cwd: string | null; cursor: string })
    | RunMark
  );

/** Events of the line of a run, and answers of a line editor. Each cursor is the cursor after the mark. */
export type RunMark =
  | (Reported<'taken'> & { cursor: string })
  | (Reported<'over'> & { cursor: string })
  | Reported<'lineEditor' | 'draftBack' | 'continued'>;
