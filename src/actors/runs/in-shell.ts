import { DomainError } from '../../contract/errors.js';
import { PROMPT_SETTLE_MS } from '../../contract/limits.js';
import { untilIdle } from '../waits/quiet.js';
import { type Scope, within } from '../waits/scope.js';
import { isAtRest, untilShell } from '../waits/shell-rest.js';
import { takeBack, untilIncomplete } from './incomplete.js';
import type { Progress } from './progress.js';
import { following, lookAt, type RunParts, type RunRequest, type } from './typed.js';

/**
 * Types a command into an integrated shell that waits for input: it tells what it starts, and when it waits again.
 * Throws command-incomplete for one that it wants more of, after taking it back.
 */
export async function runInShell(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
): Promise<void> {
  const { id, command } = request;
  await following(parts, id, scope, progress, async (watch) => {
    await untilPastable(parts, request, scope);
    const before = await type(parts, request, command, progress);
    progress.waitedBy = 'integration';
    const isIncomplete = await within(scope.signal, (signal) =>
      Promise.race([
        untilShell(parts, id, watch, isAtRest).then(() => false),
        untilIncomplete(parts, id, before.position, { signal, leftMs: scope.leftMs }).then(() => true),
      ]),
    );
    if (isIncomplete || (watch.commands.length === 0 && (await isLeft(parts, request, scope)))) {
      await takeBack(parts, request, scope);
    }
    if (isIncomplete) throw new DomainError('command-incomplete');
  });
}

/** A command of several lines, or with tabs in it, is one only where it is pasted. */
async function untilPastable(parts: RunParts, { id, command }: RunRequest, scope: Scope): Promise<void> {
  if (!/[\x00-\x1f\x7f]/.test(command)) return;
  const { modes, quietMs } = await lookAt(parts, id, scope.signal);
  if (!modes.bracketedPaste && quietMs < PROMPT_SETTLE_MS)
    await untilIdle(parts, id, PROMPT_SETTLE_MS, scope);
}

/** Whether the command still stands where the shell takes input: fish keeps what it refuses to run there. */
async function isLeft(parts: RunParts, { id, command }: RunRequest, { signal }: Scope): Promise<boolean> {
  const { rows, cursorRow } = await lookAt(parts, id, signal);
  const last = command.split('\n').at(-1)?.trim() ?? '';
  const row = rows[cursorRow]?.trim() ?? '';
  // A long one has been wrapped.
  return last !== '' && row !== '' && (row.includes(last) || last.endsWith(row));
}
