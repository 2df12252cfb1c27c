import type { Obstacle, Waiting } from '../../contract/admission.js';
import { PACE_WAIT_MS } from '../../contract/limits.js';
import type { Limits } from './decide.js';

/** A terminal for which a creation asks to be admitted. */
export type Asking = Pick<Waiting, 'terminalId' | 'name' | 'labels' | 'mode' | 'caller' | 'priority'> & {
  /** Milliseconds to wait; undefined for a creation that waits for the pace alone. */
  queueMs: number | undefined;
};

/** Counts an admitted creation like a running terminal, until one of the methods is called. */
export interface Place {
  /** Call once the terminal is listed, or if nothing was started. */
  free(): void;
  /**
   * Call if it is unknown whether a program was started: the creation counts until its terminal is listed, for a minute
   * at most.
   */
  freeLater(): void;
}

/** A change of a creation that met a limit. */
export type AdmissionChange =
  /** It waits, or no longer waits; `left`: its client has gone. `position` is its place in line at that time. */
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
  /** Indexes in `perLabel` of the limits that apply to it, as the limits `under` have them. */
  own: readonly number[];
  under: Limits;
  /** Whether the listener was notified that it waits. */
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
