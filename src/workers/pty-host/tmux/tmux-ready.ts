import type { OpenPty } from '../pty/pty-port.js';

/**
 * A program's terminal in tmux, for which `openPty` must be called at once; or in words why there is none, and whether
 * the program may have run all the same, for a moment.
 */
export type TmuxReady = { openPty: OpenPty } | { fault: string; mayHaveRun?: boolean };
