import { DomainError } from '../../contract/errors.js';
import { TYPING_TRIES } from '../../contract/limits.js';

/**
 * Types something under an operation id. While the pty host does not answer in time, as on a busy machine, types it
 * again under the same id, by which the host types it at most once: a run goes on then, in place of an unknown outcome.
 * Returns early once `isDone` shows that it was typed. Gives up after TYPING_TRIES, when the signal has fired, and at
 * any other error. Rejects with outcome-unknown if any attempt may have typed it, otherwise with the last error.
 */
export async function repeatUnknown(
  type: () => Promise<unknown>,
  signal: AbortSignal,
  isDone: () => boolean = () => false,
): Promise<void> {
  let unknown: unknown;
  for (let attempt = 1; ; attempt++) {
    try {
      await type();
      return;
    } catch (error) {
      const code = error instanceof DomainError ? error.code : undefined;
      if (code === 'outcome-unknown') unknown ??= error;
      const mayRepeat = code === 'outcome-unknown' || code === 'unavailable';
      if (mayRepeat && isDone()) return;
      if (!mayRepeat || signal.aborted || attempt === TYPING_TRIES) throw unknown ?? error;
    }
  }
}
