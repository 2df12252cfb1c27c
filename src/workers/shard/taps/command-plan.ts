/** A shell of a terminal, and what is open in it. */
export interface ShellLevel {
  /** Its process, as it tells itself; shells within shells have others. */
  pid: number;
  /** The command it runs. */
  running: { commandId: string; start: string } | null;
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
  );
