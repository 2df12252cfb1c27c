import { KiB } from './units.js';

/**
 * Least pause between two sends from the pty host to a shard while nobody waits for the output. If each of 200 programs
 * prints ten times a second, each send would wake the shard for one piece, with cold caches.
 */
export const CALM_OUTPUT_MS = 8;
/**
 * Pause between two reads of all terminals that print a little, where many do: one frame of a 60 Hz display. A
 * terminal that was just typed into, or has just begun, is read without this pause.
 */
export const SWEEP_MS = 16;
/** Time after input in which a client may wait for the output of the terminal. */
export const AWAITED_OUTPUT_MS = 1_000;
/** Output of one terminal from which it is sent without that pause: it may be a flood. */
export const GATHERED_OUTPUT_BYTES = 16 * KiB;
