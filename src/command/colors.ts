import type { Context } from './context.js';

/**
 * Returns whether colours may be written to standard output: on a terminal that has them, unless NO_COLOR is set to
 * something; FORCE_COLOR turns them on anywhere, and off with 0. See no-color.org and force-color.org.
 */
export function hasColors({ env, isTty }: Pick<Context, 'env' | 'isTty'>): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = env;
  if (NO_COLOR !== '') return false;
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTty && TERM !== 'dumb';
}

/** Returns the sequence before each picture of a screen that is redrawn; empty where the output is no terminal that knows it. */
export function clearScreen({ env, isTty }: Pick<Context, 'env' | 'isTty'>): string {
  return isTty && env.TERM !== 'dumb' ? '\x1b[H\x1b[2J' : '';
}
