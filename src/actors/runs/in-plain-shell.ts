import type { Command } from '../../contract/command.js';
import { DomainError } from '../../contract/errors.js';
import { PROMPT_SETTLE_MS } from '../../contract/limits.js';
import { untilIdle } from '../waits/quiet.js';
import { type Scope, within } from '../waits/scope.js';
import { isAtRest, untilShell } from '../waits/shell-rest.js';
import { ShellWatch } from '../waits/shell-watch.js';
import { interrupt, untilIncomplete } from './incomplete.js';
import { isNothing } from './nothing.js';
import type { Progress } from './progress.js';
import { findRefusal, type Refusal } from './refusal.js';
import { placeOf, type RunParts, type RunRequest, type } from './typed.js';

/**
 * Types a command into an integrated shell that is at its prompt and has no keys for runs (PowerShell, a bash without a
 * line editor). Identifies the commands that it starts by their lines. Throws line-editor-busy where somebody has begun
 * to type a line, and command-incomplete for a command that the shell wants more of, after interrupting it.
 */
export async function runInPlainShell(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
): Promise<void> {
  const { id, command } = request;
  const wasTyped = request.isResumed && progress.isTyped;
  if (!request.isResumed && parts.submissions.hasDraft(id)) throw new DomainError('line-editor-busy');
  const watch = new ShellWatch(parts.commands, id, scope.signal);
  progress.commands = () => linesOf(command, watch.commands);
  progress.isCut = () => watch.isCut;
  // One line is refused as a whole or not at all; a refusal of one of several lines is known only at the end.
  progress.isCertain = () => !command.includes('\n');
  try {
    await untilPastable(parts, request, scope);
    const before = await type(parts, request, command, progress, { signal: scope.signal });
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
      await interrupt(parts, request, true);
    }
    if (refusal) Object.assign(progress, { refusal: refusal.printed, reason: first ? null : 'refused' });
    if (refusal && !first) progress.exitCode = refusal.exitCode;
    else if (isIncomplete) throw new DomainError('command-incomplete');
    const isBash = parts.commands.shellStatus(id).integration === 'bash';
    const isLost = isBash && !refusal && !reachesEnd(command, progress.commands());
    if (isLost) progress.commands = () => [];
    if (first && progress.commands().length === 0) progress.reason = 'unidentified';
    // An earlier service process may have seen the command begin; the shell does not report that again.
    if (wasTyped && !first && !refusal) progress.reason = 'restarted';
  } finally {
    watch.close();
  }
}

/** Returns the commands whose lines are part of `command`. */
function linesOf(command: string, commands: readonly Command[]): Command[] {
  const whole = bare(command);
  return commands.filter(({ commandLine }) => commandLine !== '' && whole.includes(bare(commandLine)));
}

/**
 * Whether the command ends with these commands, so that the last exit code is its own. In a bash without a line editor, the
 * terminal cuts a long line, and a program may read the lines that follow its own.
 */
function reachesEnd(command: string, commands: readonly Command[]): boolean {
  return bare(command).endsWith(commands.map(({ commandLine }) => bare(commandLine)).join(''));
}

/** Returns a line without blanks and semicolons: a shell may join lines, and put other separators between words. */
function bare(line: string): string {
  return line.replace(/[\s;]+/g, '');
}

/**
 * Returns how the shell refused the command, if it did. A single line is refused as a whole or not at all, so a started
 * command rules a refusal out. A line that runs nothing cannot be refused: what the shell prints then, such as job
 * notices, is not about it.
 */
async function refusalOf(
  parts: RunParts,
  { id, command }: RunRequest,
  { typedAt, first }: { typedAt: string; first: Command | undefined },
  { signal }: Scope,
): Promise<Refusal | undefined> {
  const { integration } = parts.commands.shellStatus(id);
  if (isNothing(command, integration) || (first && !command.includes('\n'))) return undefined;
  const end = first ? first.outputCursor.start : (await placeOf(parts, id, signal)).cursor;
  return findRefusal(parts, id, { start: typedAt, end }, signal);
}

/**
 * Gives the shell PROMPT_SETTLE_MS of quiet to turn on bracketed paste. Only a paste keeps several lines together as
 * one command, and keeps tabs and other control characters from acting as keys.
 */
async function untilPastable(parts: RunParts, { id, command }: RunRequest, scope: Scope): Promise<void> {
  if (!/[\x00-\x1f\x7f]/.test(command)) return;
  const { modes, quietMs } = await placeOf(parts, id, scope.signal);
  if (!modes.bracketedPaste && quietMs < PROMPT_SETTLE_MS)
    await untilIdle(parts, id, PROMPT_SETTLE_MS, scope);
}
