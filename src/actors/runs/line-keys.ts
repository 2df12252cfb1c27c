/**
 * Keys that the shell integration binds in every mode of a line editor, see src/shell-integration. No keyboard sends
 * them.
 */

/** Puts the line of {@link RunLines} in place of the shell's own, and accepts it in the same stroke. */
export const RUN_KEY = '\x1b[9008~';

/** Is answered by a mark, and does nothing else: all that was typed before it has been read then. */
export const PROBE_KEY = '\x1b[9007~';

/** Puts back the line that stood there before a run. */
export const BACK_KEY = '\x1b[9006~';
