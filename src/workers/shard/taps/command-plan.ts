/** A shell of a terminal, and what is open in it. */
export interface ShellLevel {
  /** Its process, as it tells itself; shells within shells have others. */
  pid: number;
  /** The command it runs. */
  running: { commandId: string; start: string } | null;
  /** Its line editor has the keys of runs bound. */
  takesRuns?: boolean | undefined;
  /** Of the prompt that it showed last, where it counts them. */
  promptCount?: number | undefined;
}

/** The line of a run that a shell has accepted, up to the prompt that follows. */
export interface RunLine {
  runId: string;
  /** Of the shell. */
  pid: number;
  /** `$?` before it. */
  status: number | null;
  /** The shell has started a command of it. */
  hasStarted: boolean;
  /** The shell has begun to show a prompt after it. */
  hasPrompt: boolean;
  /** A status other than the one before, reported without a command: that of a refusal. */
  exitCode: number | null;
}

/** How far the marks of a terminal have been taken; plain data, for a shard to go on from. */
export interface MarkState {
  /** Bytes of output whose marks are taken. */
  position: number;
  /** The shells that have told of themselves, each inside the one before it. */
  levels: ShellLevel[];
  /** Its innermost shell waits for input. */
  atPrompt: boolean;
  cwd: string | null;
  /** A shell is at the line of this run. */
  run?: RunLine | undefined;
  /** The innermost shell asks for the rest of a command. */
  isContinued?: boolean | undefined;
  /** A shell keeps what stood in its line before a run, to be put back by the key of `line-keys.ts`. */
  hasDraft?: boolean | undefined;
  /** Tokens of {@link ShardApi.expectMarks} that have not come. */
  tokens: string[];
}

/** What a shard needs to follow a terminal's commands. */
export interface CommandPlan {
  /** Only marks that carry it count. */
  nonce: string;
  /** Where another shard has left off; absent for a new terminal. */
  state?: MarkState;
}

/** When a mark came: epoch milliseconds, and milliseconds on the clock that all threads share. */
export interface MarkTime {
  at: number;
  /** Of `process.hrtime`, so that the order of marks and of what was typed is known. */
  hrMs: number;
}

/** What a shell has told. `state` is that after the mark. */
export type CommandMark = MarkTime & { state: MarkState } & (
    | {
        kind: 'started';
        commandId: string;
        commandLine: string;
        /** Which told of it, where no shell did: who has had it expected knows the command line. */
        token?: string;
        /** The run whose line started it. */
        runId?: string;
        cwd: string | null;
        /** Where its output begins. */
        cursor: string;
      }
    | {
        kind: 'finished';
        commandId: string;
        /** null when nobody told. */
        exitCode: number | null;
        /** Where its output ends. */
        cursor: string;
      }
    /** It waits for input. */
    | { kind: 'prompt'; cwd: string | null }
    | RunMark
  );

/** What becomes of the line of a run, and what a line editor answers; each cursor is that after the mark. */
export type RunMark =
  /** The shell has put it in place of its own line, and accepts it. */
  | { kind: 'taken'; runId: string; cursor: string }
  /**
   * The shell is through with it: it shows a `prompt` again, asks for the rest of an `incomplete` one, or is `gone`.
   * `exitCode` is what it reported of a line that started no command, where that is known.
   */
  | {
      kind: 'over';
      runId: string;
      how: 'prompt' | 'incomplete' | 'gone';
      /** It started a command. */
      hasStarted: boolean;
      exitCode: number | null;
      cursor: string;
    }
  /** The line editor has read a probe, and all that was typed before it. */
  | { kind: 'lineEditor' }
  /** The line that stood there before a run is back. */
  | { kind: 'draftBack' };
