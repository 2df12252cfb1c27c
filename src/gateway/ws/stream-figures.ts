import type { StreamClient } from './stream-client.js';

/** Counts of all that was sent to WebSocket clients since the start, and the bytes that wait for connected clients. */
export interface StreamFigures {
  clients: number;
  messages: number;
  sentBytes: number;
  /** Frames of output that were dropped, counted once for each client that missed them. */
  dropped: number;
  /** Screens sent in place of dropped frames. */
  resyncs: number;
  queuedBytes: { sum: number; max: number };
}

/** Counts of one client, or of several. */
type Counts = Pick<StreamFigures, 'messages' | 'sentBytes' | 'dropped' | 'resyncs'>;

/** Returns the counts with the counts of a client added. */
export function addCounts(counts: Counts, { queue, counters }: StreamClient): Counts {
  return {
    messages: counts.messages + queue.messages,
    sentBytes: counts.sentBytes + queue.sent,
    dropped: counts.dropped + counters.dropped,
    resyncs: counts.resyncs + counters.resyncs,
  };
}
