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

/** @param gone - counts of clients that have disconnected */
export function figuresOf(connected: Iterable<StreamClient>, gone: Counts): StreamFigures {
  const clients = [...connected];
  const queued = clients.map(({ queue }) => queue.queued);
  return {
    clients: clients.length,
    ...clients.reduce(addCounts, gone),
    queuedBytes: { sum: queued.reduce((sum, bytes) => sum + bytes, 0), max: Math.max(0, ...queued) },
  };
}
