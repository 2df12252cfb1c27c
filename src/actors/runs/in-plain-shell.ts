import type { Command } from '../../contract/command.js';
import { DomainError } from '../../contract/errors.js';
import { PROMPT_SETTLE_MS } from '../../contract/limits.js';
import { untilIdle } from '../waits/quiet.js';
import { type Scope, within } from '../waits/scope.js';
import { isAtRest, untilShell } from '../waits/shell-rest.js';
import { ShellWatch } from '../waits/shell-watch.js';
import { interrupt, untilIncomplete } from './incomplete.js';
import type { Progress } from './progress.js';
import { findRefusal, type Refusal } from './refusal.js';
import { lookAt, type RunParts, type RunRequest, type } from './typed.js';

/**
 * Types a command into an integrated shell without the keys of runs (PowerShell, a bash without a line editor), which
 * waits for input. Its commands are known by their lines. Throws line-editor-busy where somebody has begun to type a
 * line, and command-incomplete for a command that the shell wants more of, after interrupting it.
 */
export async function runInPlainShell(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
): Promise<void> {
  const { id, command } = request;
  if (!request.isResumed && parts.submissions.hasDraft(id)) throw new DomainError('line-editor-busy');
  const watch = new ShellWatch(parts.commands, id, scope.signal);
  progress.commands = () => linesOf(command, watch.commands);
  progress.isCut = () => watch.isCut;
  try {
    await untilPastable(parts, request, scope);
    const before = await type(parts, request, command, progress);
    progress.waitedBy = 'integration';
    const isIncomplete = await within(scope.signal, (signal) => {
      const limits = { signal, leftMs: scope.leftMs };
      return Promise.race([
        untilShell(parts, id, watch, isAtRest, limits).then(() => false),
        untilIncomplete(parts, id, before.position, limits).then(() => true),
      ]);
    });
    const [first] = watch.commands;
    const refusal = await refusalOf(parts, request, { typedAt: before.cursor, first }, scope);
    if (isIncomplete) {
      progress.reason = 'incomplete';
      await interrupt(parts, request);
    }
    if (refusal) Object.assign(progress, { refusal: refusal.printed, reason: first ? null : 'refused' });
    if (refusal && !first) progress.exitCode = refusal.exitCode;
    else if (isIncomplete) throw new DomainError('command-incomplete');
    if (first && progress.commands().length === 0) progress.reason = 'unidentified';
  } finally {
    watch.close();
  }
}

/** Those whose lines are lines of the command. A shell may join the lines of one, and put others between their words. */
function linesOf(command: string, commands: readonly Command[]): Command[] {
  const bare = (line: string) => line.replace(/[\s;]+/g, '');
  const whole = bare(command);
  return commands.filter(({ commandLine }) => commandLine !== '' && whole.includes(bare(commandLine)));
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
