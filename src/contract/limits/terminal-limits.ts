/** Limits of single terminals. */
import { MiB } from './units.js';

/** Least memory of a terminal: with less, no shell starts. */
export const MIN_TERMINAL_MEMORY_BYTES = 8 * MiB;

/** Most memory that a limit can name: the largest number that JSON keeps exactly. */
export const MAX_TERMINAL_MEMORY_BYTES = Number.MAX_SAFE_INTEGER;

/** Fewest processes of a terminal: a shell, and the command that it runs. */
export const MIN_TERMINAL_PIDS = 2;
/** Most processes of a terminal: the largest process id of Linux. */
export const MAX_TERMINAL_PIDS = 4_194_304;

/** Range of `cpu.weight` of cgroup v2. */
export const MIN_CPU_WEIGHT = 1;
export const MAX_CPU_WEIGHT = 10_000;

/** First and longest pause between two attempts to remove the control group of a terminal whose processes may run on. */
export const FIRST_GROUP_LOOK_MS = 20;
export const MAX_GROUP_LOOK_MS = 1_000;
