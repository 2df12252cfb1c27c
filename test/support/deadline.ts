/**
 * Longest wait, in milliseconds, for something that a working product does at once. The wait reports what is missing
 * before the test itself ends, and is long enough for a machine that starts a service in 30 seconds instead of two: it
 * does not measure speed.
 */
export const DEADLINE_MS = 120_000;
