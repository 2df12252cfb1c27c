import { DomainError } from '../../contract/errors.js';
import { decodeCursor } from '../../workers/shard/read-cursor.js';
import type { Outcome } from './outcome.js';
import { foregroundNow, type QuietNowParts, untilForeground } from './quiet.js';
import { type Scope, within } from './scope.js';
import { isAtRest, type ShellParts, type ShellState, shellState, untilShell } from './shell-rest.js';
import { ShellWatch, untilGone } from './shell-watch.js';

export interface CommandWait {
  until: 'command' | 'prompt';
  idleMs: number;
  /** A command counts only when it ended after this cursor. */
  since?: string | undefined;
  /** Tells how it is now: a shell that is not integrated is not waited for. */
  isNow: boolean;
}

/**
 * Resolves once the shell waits for input and has nothing pending: what ran, or was submitted, has ended then. Where
 * it is not integrated, once it is in the foreground again. Rejects with terminal-not-found.
 */
export async function untilCommand(
  parts: ShellParts & QuietNowParts,
  id: string,
  { until, idleMs, since, isNow }: CommandWait,
  scope: Scope,
): Promise<Outcome> {
  const watch = new ShellWatch(parts.commands, id, scope.signal);
  try {
    const before = shellState(parts, id);
    const after = until === 'command' && since !== undefined ? positionOf(since) : undefined;
    const isSo = (state: ShellState) => isAtRest(state) && hasEndedAfter(after, state);
    const state = await untilShell(parts, id, watch, isSo);
    if (state) {
      const exitCode = until === 'prompt' ? undefined : exitCodeOf(watch, before, state, after);
      return { done: true, reason: until, exitCode, waitedBy: 'integration' };
    }
  } finally {
    watch.close();
  }
  const waitedBy = await within(scope.signal, (signal) => {
    const inner = { signal, leftMs: scope.leftMs };
    const rests = (isNow ? foregroundNow : untilForeground)(parts, id, idleMs, inner);
    return Promise.race([rests, gone(parts, id, signal)]);
  });
  if (!waitedBy) return { done: false, reason: 'timeout' };
  return { done: true, reason: until, exitCode: until === 'prompt' ? undefined : null, waitedBy };
}

/** Rejects with terminal-not-found once the terminal's program has exited. */
async function gone(
  { commands }: Pick<ShellParts, 'commands'>,
  id: string,
  signal: AbortSignal,
): Promise<never> {
  await untilGone(commands, id, signal);
  throw new DomainError('terminal-not-found');
}

function hasEndedAfter(position: number | undefined, { last }: ShellState): boolean {
  if (position === undefined) return true;
  const end = last?.outputCursor.end;
  // One that prints nothing more ends where its output does: it ran at a cursor that stands there.
  return end ? positionOf(end) >= position : false;
}

/** Of the command that ended last, unless what was submitted at a prompt has turned out to be none. */
function exitCodeOf(watch: ShellWatch, before: ShellState, now: ShellState, after: number | undefined) {
  // It has opened a shell that waits for input.
  if (!before.atPrompt && now.running !== null && now.running.id === before.running?.id) return null;
  if (after !== undefined || isAtRest(before) || !before.atPrompt) return now.last?.exitCode ?? null;
  const last = before.pending === 'sure' ? undefined : now.last;
  return (watch.ended ?? last)?.exitCode ?? null;
}

function positionOf(cursor: string): number {
  return decodeCursor(cursor, Number.POSITIVE_INFINITY).position;
}
