/** Screens whose changed rows clients watch. */
import { KiB } from './units.js';

/** Screens whose rows one WebSocket client watches at once. */
export const MAX_SCREEN_VIEWS = 300;

/** Interval at which watched screens are read; each screen no more often than its client wants. */
export const SCREEN_TICK_MS = 50;

/** Screens that a client has just begun to watch are read before the next tick, but not within this time after the last. */
export const SCREEN_SOON_MS = 10;

/** Most watched screens that are read in one tick, over all clients. */
export const MAX_SCREENS_A_TICK = 150;

/** Longest wait for watched screens to take in the output that was printed. */
export const SCREEN_SAMPLE_MS = 100;

/** A copy of a screen is dropped once nothing has asked for it for this long. */
export const SCREEN_COPY_KEPT_MS = 10_000;

/** Most characters of the rows in one frame of a watched screen. A frame that needs more has `tooLarge` and no rows. */
export const MAX_SCREEN_ROWS_CHARS = 1024 * KiB;
