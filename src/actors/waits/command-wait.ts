import type { Command } from '../../contract/command.js';
import { DomainError } from '../../contract/errors.js';
import { positionOf } from '../../workers/shard/read-cursor.js';
import type { Outcome } from './outcome.js';
import { foregroundNow, type QuietNowParts, untilForeground } from './quiet.js';
import { type Scope, within } from './scope.js';
import { isAtRest, type ShellParts, type ShellState, shellState, untilShell } from './shell-rest.js';
import { ShellWatch, untilGone } from './shell-watch.js';

export interface CommandWait {
  until: 'command' | 'prompt';
  idleMs: number;
  /** A command counts only if it ended at this cursor or after it. */
  since?: string | undefined;
  /** Asks for the present state only: a shell that is not integrated is not waited for. */
  isNow: boolean;
}

/**
 * Resolves once the shell waits for input and has nothing pending: all that ran or was submitted has ended then. If the
 * shell is not integrated, resolves once it is in the foreground again. Rejects with terminal-not-found, and when the
 * scope ends.
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
    const nothingAfter = () => ranNothingAfter(after, parts.submissions.ranNothingAt(id));
    const isSo = (state: ShellState) => isAtRest(state) && (hasEndedAfter(after, state) || nothingAfter());
    const state = await untilShell(parts, id, watch, isSo, scope);
    if (state) {
      const told = { done: true, reason: until, waitedBy: 'integration' } as const;
      if (until === 'prompt') return told;
      if (nothingAfter()) return { ...told, exitCode: null, exitCodeReason: 'nothing-ran' };
      return { ...told, ...exitOf(commandOf(watch, before, state, after)) };
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
  const unknown = until === 'prompt' ? {} : ({ exitCode: null, exitCodeReason: 'untold' } as const);
  return { done: true, reason: until, waitedBy, ...unknown };
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
  // A command's end is the position after its last byte, so a cursor equal to that position may have been taken while
  // it ran.
  return end ? positionOf(end) >= position : false;
}

/** Returns whether the last submitted line ran nothing; then no command is in question. */
function ranNothingAfter(position: number | undefined, ranNothingAt: number | null): boolean {
  return ranNothingAt !== null && (position === undefined || ranNothingAt > position);
}

/** Returns the command that ended last; null where the input submitted at a prompt has turned out to run no command. */
function commandOf(
  watch: ShellWatch,
  before: ShellState,
  now: ShellState,
  after: number | undefined,
): Command | null {
  // The command that ran before still runs: it has opened a shell that waits for input.
  if (!before.atPrompt && now.running !== null && now.running.id === before.running?.id) return null;
  if (after !== undefined || isAtRest(before) || !before.atPrompt) return now.last;
  const last = before.pending === 'sure' ? undefined : now.last;
  return watch.ended ?? last ?? null;
}

function exitOf(command: Command | null): Pick<Outcome, 'exitCode' | 'exitCodeReason' | 'command'> {
  if (!command) return { exitCode: null, exitCodeReason: 'nothing-ran' };
  const { exitCode } = command;
  return { exitCode, ...(exitCode === null && { exitCodeReason: 'untold' as const }), command };
}
