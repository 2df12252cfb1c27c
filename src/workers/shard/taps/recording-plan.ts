import type { RecordingOptions } from '../../../contract/recording.js';

/** What a shard needs to record a terminal, or to go on recording it. */
export interface RecordingPlan {
  recordingId: string;
  /** Path of the running recording: made at the start, and found by who goes on with it. */
  file: string;
  /** ISO date, later for each recording that is started. */
  startTime: string;
  shellType: string | null;
  options: RecordingOptions;
}

/** A recording has ended here. */
export interface RecordingEnd {
  recordingId: string;
  /** What went wrong; the file may not be finished then. */
  fault?: string;
}

/** What a recording has come to. */
export interface RecordingTotals {
  recordingId: string;
  /** Bytes of the data of its events. */
  size: number;
  eventCount: number;
  /** Only where writing has failed: what came last is not in the file. */
  truncated?: true;
}
