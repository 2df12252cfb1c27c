/** The first that can be told the environment of a session by itself. */
const LEAST = { major: 3, minor: 2 };

/** These count otherwise than releases do: the newest source, and the tmux that belongs to an OpenBSD. */
const NEW_ENOUGH = /^(master$|openbsd-)/;

/**
 * In words why a tmux can host no terminals; null for one that can.
 *
 * @param answer - of `tmux -V`: `tmux 3.3a`, `tmux next-3.8`, `tmux master`, `tmux openbsd-7.5`
 */
export function faultOfVersion(answer: string): string | null {
  const version = /^tmux (\S+)$/.exec(answer.trim())?.[1];
  if (version !== undefined && NEW_ENOUGH.test(version)) return null;
  const numbers = /(\d+)\.(\d+)/.exec(version ?? '');
  if (!numbers) return 'tmux does not tell its version';
  const [major, minor] = [Number(numbers[1]), Number(numbers[2])];
  const isEnough = major > LEAST.major || (major === LEAST.major && minor >= LEAST.minor);
  return isEnough ? null : `tmux ${version} is too old: ${LEAST.major}.${LEAST.minor} is needed`;
}
