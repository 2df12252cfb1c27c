import type { Obstacle, Waiting } from '../../contract/admission.js';
import { PACE_WAIT_MS } from '../../contract/limits.js';
import type { Limits } from './decide.js';

/** What asks to be created. */
export type Asking = Pick<Waiting, 'terminalId' | 'name' | 'labels' | 'mode' | 'caller' | 'priority'> & {
  /** Milliseconds to wait; undefined waits for the pace alone. */
  queueMs: number | undefined;
};

/** Counts an admitted creation like a running terminal, until one of the methods is called. */
export interface Place {
  /** The terminal is listed, or nothing was started. */
  free(): void;
  /** Nobody knows whether a program was started: it counts until its terminal is listed, for a minute at most. */
  freeLater(): void;
}

/** What became of a creation that a limit has met. */
export type AdmissionChange =
  /** It waits, or does not wait any longer; `left`: its client has gone. `position` is its place in line then. */
  | { type: 'queued' | 'admitted' | 'left' | 'refused'; asking: Asking; position: number; obstacle: Obstacle }
  /** It was refused without having waited. */
  | { type: 'turned-away'; obstacle: Obstacle };

/** A creation in line. */
export interface Waiter extends Asking {
  /** Epoch milliseconds, for clients. */
  since: number;
  /** On the clock of `performance.now`. */
  endsAt: number;
  obstacle: Obstacle;
  /** The limits of `perLabel` on it, by their places in there, under these limits. */
  own: readonly number[];
  under: Limits;
  /** The listener was told that it waits. */
  isQueued: boolean;
  admit: (place: Place) => void;
  refuse: (reason: unknown) => void;
}

export function toWaiting(waiter: Waiter, index: number): Waiting {
  const {
    terminalId,
    name,
    labels,
    mode,
    caller,
    priority,
    since,
    queueMs = PACE_WAIT_MS,
    obstacle,
  } = waiter;
  const own = { terminalId, name, labels, mode, caller, priority };
  return { position: index + 1, ...own, since, until: since + queueMs, obstacle };
}
