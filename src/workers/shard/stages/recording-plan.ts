import type { RecordingOptions } from '../../../contract/recording.js';

/** Data that a shard needs to start or resume the recording of a terminal. */
export interface RecordingPlan {
  recordingId: string;
  /** Path of the running recording: created at the start, and opened by a shard that resumes the recording. */
  file: string;
  /** ISO date; later for each recording that is started. */
  startTime: string;
  shellType: string | null;
  options: RecordingOptions;
}

/** The end of a recording in this shard. */
export interface RecordingEnd {
  recordingId: string;
  /** Error of the recording, after which the file may not be finished. */
  fault?: string;
}

/** Totals of a recording. */
export interface RecordingTotals {
  recordingId: string;
  /** Bytes of the events' data. */
  size: number;
  eventCount: number;
  /** Present only if writing failed, or output has not come: the last data is not in the file. */
  truncated?: true;
}
