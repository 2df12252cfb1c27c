/** The first version in which a session can have an environment of its own. */
const LEAST = { major: 3, minor: 2 };

/** Versions that are not numbered like releases: the newest source, and the tmux that belongs to an OpenBSD. */
const NEW_ENOUGH = /^(master$|openbsd-)/;

/**
 * Returns in words why a tmux cannot host terminals; null if it can.
 *
 * @param answer - output of `tmux -V`: `tmux 3.3a`, `tmux next-3.8`, `tmux master`, `tmux openbsd-7.5`
 */
export function faultOfVersion(answer: string): string | null {
  const version = /^tmux (\S+)$/.exec(answer.trim())?.[1];
  if (version !== undefined && NEW_ENOUGH.test(version)) return null;
  const numbers = /(\d+)\.(\d+)/.exec(version ?? '');
  if (!numbers) return 'tmux does not report its version';
  const [major, minor] = [Number(numbers[1]), Number(numbers[2])];
  const isEnough = major > LEAST.major || (major === LEAST.major && minor >= LEAST.minor);
  return isEnough ? null : `tmux ${version} is too old: ${LEAST.major}.${LEAST.minor} or later is required`;
}
