/** The prompt queue: prompts that wait until their terminal is ready for them. */
import { KiB } from './units.js';

/** UTF-16 units of a queued prompt: it stays in memory and on disk until it has ended. */
export const MAX_PROMPT_CHARS = 64 * KiB;

/** UTF-16 units that lists show of a prompt, and that are kept of a prompt that has ended. */
export const SHOWN_PROMPT_CHARS = 500;

/** Prompts that wait for one terminal; more are refused. */
export const MAX_PROMPTS_PER_TERMINAL = 100;

/** Prompts that wait in all terminals. With their longest texts they take 128 MiB of memory. */
export const MAX_PROMPTS = 2_000;

/** Prompts that have ended and are still listed; the oldest go first. */
export const MAX_ENDED_PROMPTS = 1_000;

/** Longest time until a prompt is due, or until it expires: 30 days. */
export const MAX_PROMPT_WAIT_MS = 30 * 24 * 3_600_000;

/**
 * How often the clock is checked while a prompt has a time: a laptop that slept or a stepped clock makes a prompt late by
 * this much at most.
 */
export const PROMPT_CLOCK_MS = 30_000;

/** Time for an agent to begin to work, or for a shell to begin the command, after the last key was written. */
export const PROMPT_VERIFY_MS = 5_000;

/** Pause between two looks at an agent while it prints after a prompt: it may draw its screen a hundred times a second. */
export const PROMPT_LOOK_MS = 50;

/**
 * Output this long after the last key is no longer an echo of the prompt. Decides for agents that no rule reports as
 * working.
 */
export const PROMPT_ECHO_MS = 1_000;

/** Pause after an attempt that typed nothing, as when another writer has got in between. */
export const PROMPT_RETRY_MS = 500;
