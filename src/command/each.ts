import pLimit from 'p-limit';
import { AutoTerminalError } from '../client/index.js';
import type { Context } from './context.js';
import { EXIT, exitCodeOf } from './exit-codes.js';
import { Progress } from './progress.js';

/** Most concurrent requests: more would only queue at the service. */
const AT_ONCE = 16;

/**
 * Does something in each terminal, or to each recording, token and so on, with progress for people. An id for which it
 * fails is named on standard error and delays no other; the command then ends with the code of that failure, or with 1 if
 * the failures differ.
 */
export async function inEach(
  context: Context,
  ids: readonly string[],
  done: string,
  action: (id: string) => Promise<unknown>,
): Promise<void> {
  const limit = pLimit(AT_ONCE);
  const progress = new Progress(context, { total: ids.length, done });
  const failures: AutoTerminalError[] = [];
  try {
    await Promise.all(
      ids.map((id) =>
        limit(async () => {
          context.signal.throwIfAborted();
          await action(id).catch((error: unknown) => {
            if (!(error instanceof AutoTerminalError)) throw error;
            failures.push(error);
            if (ids.length > 1) progress.say(`auto-terminal: ${id}: ${error.message}`);
          });
          progress.advance();
        }),
      ),
    );
  } finally {
    progress.erase();
  }
  const [first] = failures;
  if (first === undefined) return;
  if (ids.length === 1) throw first;
  const codes = new Set(failures.map(exitCodeOf));
  context.exitCode = codes.size === 1 ? exitCodeOf(first) : EXIT.failed;
}
