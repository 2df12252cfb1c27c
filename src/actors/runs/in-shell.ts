import type { Command } from '../../contract/command.js';
import { DomainError } from '../../contract/errors.js';
import { PROMPT_SETTLE_MS } from '../../contract/limits.js';
import { untilIdle } from '../waits/quiet.js';
import { type Scope, within } from '../waits/scope.js';
import { isAtRest, untilShell } from '../waits/shell-rest.js';
import { takeBack, untilIncomplete } from './incomplete.js';
import type { Progress } from './progress.js';
import { findRefusal, type Refusal } from './refusal.js';
import { following, lookAt, type RunParts, type RunRequest, type } from './typed.js';

/**
 * Types a command into an integrated shell that waits for input: it tells what it starts, and when it waits again.
 * Throws command-incomplete for one that it wants more of, after taking it back; `progress` tells of one that it refuses.
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
    const [first] = watch.commands;
    const refusal = await refusalOf(parts, request, { typedAt: before.cursor, first }, scope);
    if (isIncomplete || (!first && (await isLeft(parts, request, scope)))) {
      await takeBack(parts, request, scope);
    }
    if (refusal) progress.refusal = refusal.printed;
    if (refusal && !first) progress.exitCode = refusal.exitCode;
    else if (isIncomplete) throw new DomainError('command-incomplete');
  });
}

/** Of one line it is all or nothing; of a blank one a shell says nothing, whatever it may tell of jobs then. */
async function refusalOf(
  parts: RunParts,
  { id, command }: RunRequest,
  { typedAt, first }: { typedAt: string; first: Command | undefined },
  { signal }: Scope,
): Promise<Refusal | undefined> {
  if (command.trim() === '' || (first && !command.includes('\n'))) return undefined;
  const end = first ? first.outputCursor.start : (await lookAt(parts, id, signal)).cursor;
  return findRefusal(parts, id, { start: typedAt, end }, signal);
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
