/** Counts since the service began. `unknown` counts commands that ended without a reported exit code. */
export interface CommandCounts {
  started: number;
  succeeded: number;
  failed: number;
  unknown: number;
}

/** Figures about commands for the metrics. */
export interface CommandFigures extends CommandCounts {
  /** Commands that run at this moment. */
  running: number;
  /** Failed writes to the disk; their contents are part of the next write. */
  failedWrites: number;
}
