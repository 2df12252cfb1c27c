/** The output of runs, and its streams. */
import { KiB } from './units.js';

/**
 * Time limit of each read of a run's output. A shard that dies or hangs ends the read sooner. A shard that is busy with
 * the output of hundreds of shells may take a minute, and would do the same work again if the read were repeated.
 */
export const RUN_READ_MS = 600_000;
/** Bytes of output in one piece of a run's stream; characters of its text, which may be longer than the output. */
export const RUN_PIECE_BYTES = 64 * KiB;
/** Terminals of a run that are read at once for one stream, which holds a piece of each. */
export const MAX_RUN_READS = 8;
/** A larger piece is followed by the next at once, since the history of a flood is soon full. */
export const RUN_FLOOD_BYTES = 16 * KiB;
/** Time between a smaller piece of a terminal's output and its next. */
export const RUN_PIECE_MS = 50;
/** The same for each terminal of the run, if that is longer: it bounds the pieces a second of all terminals. */
export const RUN_PIECE_MS_PER_TERMINAL = 1;
/**
 * Output that waits to be settled, such as a progress bar, is read anew each time. For each of these bytes that wait,
 * another RUN_PIECE_MS passes before the next read.
 */
export const RUN_WAITING_BYTES = 16 * KiB;
/** Streams of runs at once; beyond it requests answer 503. */
export const MAX_RUN_STREAMS = 256;
/** Time without progress of its client after which the stream of a run is broken off. */
export const RUN_STREAM_STALL_MS = 3_600_000;
