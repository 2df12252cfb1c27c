/** End of an attachment. */
export interface AttachEnd {
  /** The person or another client has detached, the program has ended, the terminal was closed, or a signal came. */
  reason: 'detached' | 'exited' | 'removed' | 'signal';
  /** Exit code of a program that has exited. */
  exitCode?: number | null;
  /** The signal that ended the program, or this command. */
  signal?: string | null;
}
