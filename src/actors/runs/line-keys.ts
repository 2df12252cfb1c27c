/**
 * Keys that the shell integration binds in every mode of a line editor, see src/shell-integration. No keyboard sends
 * them.
 */

/** Replaces the shell's own line with that of {@link RunLines}, and accepts it in the same stroke. */
export const RUN_KEY = '\x1b[9008~';

/**
 * Makes the line editor answer with a mark, and does nothing else. The answer proves that all keys typed before it were
 * read.
 */
export const PROBE_KEY = '\x1b[9007~';

/** Restores the line that was being edited before a run. */
export const BACK_KEY = '\x1b[9006~';
