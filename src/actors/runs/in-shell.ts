import { DomainError } from '../../contract/errors.js';
import { UNTOLD_END_MS } from '../../contract/limits.js';
import { unlessAborted } from '../abortable.js';
import { untilForeground } from '../waits/quiet.js';
import { type Scope, within } from '../waits/scope.js';
import { retryAcrossShardRestart } from '../waits/shard-restart.js';
import { interrupt } from './incomplete.js';
import { isNothing } from './nothing.js';
import { programName } from './posix-shell.js';
import type { Progress } from './progress.js';
import { findRefusal } from './refusal.js';
import { RunWatch } from './run-watch.js';
import { stage } from './stage.js';
import { placeOf, type RunParts, type RunRequest } from './typed.js';

/** Characters of a command line that are compared, since a shell may cut a long line. */
const COMPARED_CHARS = 1_000;

/**
 * Runs a command in an integrated shell that waits for input, and follows it by its run id. Throws command-incomplete
 * for a command that the shell wants more of, after interrupting it, and otherwise as {@link stage} does; `progress`
 * reports a refusal.
 */
export async function runInShell(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
): Promise<void> {
  const { id, runId, command } = request;
  // `stage` outlives the scope for a moment, so the watch gets a signal that never fires.
  const watch = new RunWatch(parts.commands, request, new AbortController().signal);
  progress.commands = () => watch.commands;
  progress.isCut = () => watch.isCut;
  progress.waitedBy = 'integration';
  const isFish = parts.commands.shellStatus(id).integration === 'fish';
  const isCertain = () => !isFish || isOwn(command, watch);
  progress.isCertain = () => !command.includes('\n') && isCertain();
  const findRefusalEarly = async () => {
    await findWhatWasSaid(parts, request, scope, progress, watch);
    progress.isCertain = isCertain;
    progress.tell();
  };
  // An earlier service process may have seen its commands begin.
  progress.tell();
  try {
    const isKnown = parts.commands.shellStatus(id).runId === runId || parts.lines.isTaken(id, runId);
    if (isKnown) progress.isTyped = true;
    else await stage(parts, request, scope, progress, watch);
    await untilOver(parts, request, scope, progress, { watch, findRefusalEarly });
  } finally {
    watch.close();
  }
}

interface Followed {
  watch: RunWatch;
  /** Finds what the shell printed before the first command of several lines; call once that has started. */
  findRefusalEarly: () => Promise<void>;
}

async function untilOver(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
  { watch, findRefusalEarly }: Followed,
): Promise<void> {
  const how = await within(scope.signal, (signal) =>
    Promise.race([
      reported(parts, request, { watch, findRefusalEarly }, signal),
      untold(parts, request, scope, signal),
    ]),
  );
  if (how === 'untold') {
    if (await isRefusedAtPrompt(parts, request, scope, progress, watch)) return;
    progress.waitedBy = 'foreground';
    progress.reason = 'untold';
    return;
  }
  if (how === 'incomplete') {
    progress.reason = 'incomplete';
    if (parts.commands.shellStatus(request.id).isContinued) await interrupt(parts, request, true);
    throw new DomainError('command-incomplete');
  }
  if (parts.commands.shellStatus(request.id).integration === 'fish' && !isOwn(request.command, watch)) {
    // A history search that was running in fish has replaced the line after it was staged.
    const place = watch.taken ?? watch.commands[0]!.outputCursor.start;
    Object.assign(progress, {
      commands: () => [],
      refusal: { start: place, end: place },
      reason: 'unidentified',
    });
    return;
  }
  await findWhatWasSaid(parts, request, scope, progress, watch);
}

/**
 * Returns whether every line that the shell reports is part of the command. fish reports lines unchanged: the key of
 * runs lets it expand no abbreviation.
 */
function isOwn(command: string, { commands }: RunWatch): boolean {
  const bare = (line: string) => line.replace(/\s+/g, '').slice(0, COMPARED_CHARS);
  const whole = command.replace(/\s+/g, '');
  return commands.every(({ commandLine }) => whole.includes(bare(commandLine)));
}

/** Resolves once the shell has reported that it is done with the line of the run. */
async function reported(
  parts: RunParts,
  { id, runId, command }: RunRequest,
  { watch, findRefusalEarly }: Followed,
  signal: AbortSignal,
): Promise<'prompt' | 'incomplete' | 'gone'> {
  let isRefusalKnown = !command.includes('\n');
  for (;;) {
    if (watch.over) return watch.over.how;
    if (!isRefusalKnown && watch.commands.length > 0) {
      isRefusalKnown = true;
      await unlessAborted(findRefusalEarly(), signal);
      continue;
    }
    // The shell may have finished with the line before this service began to follow it.
    if (watch.taken === undefined && (await isPast(parts, id, runId, signal))) return 'prompt';
    await unlessAborted(watch.changed(), signal);
  }
}

/**
 * Resolves with whether the shell has left the line of this run, once every mark in the output that the shard has
 * received has come: the shard answers behind these marks.
 */
async function isPast(parts: RunParts, id: string, runId: string, signal: AbortSignal): Promise<boolean> {
  await placeOf(parts, id, signal);
  return parts.commands.shellStatus(id).runId !== runId;
}

/**
 * Resolves once the terminal's own program edits a line again, alone in the foreground and quiet, although no shell has
 * reported an end: the shell was replaced, or has stopped reporting. Bracketed paste shows that a line is edited: line
 * editors turn it on, and it is off while a shell waits for a command. fish also edits a line for `read`, so this does
 * not resolve while that program is fish.
 */
async function untold(
  parts: RunParts,
  { id }: RunRequest,
  { leftMs }: Scope,
  signal: AbortSignal,
): Promise<'untold'> {
  const { pid } = parts.terminals.startOf(id);
  for (;;) {
    await untilForeground(parts, id, UNTOLD_END_MS, { signal, leftMs });
    const { modes, position } = await placeOf(parts, id, signal);
    if (modes.bracketedPaste && !(await isFish(parts, pid))) return 'untold';
    const awaited = { kind: 'output', after: position } as const;
    await retryAcrossShardRestart(signal, () => parts.screens.until(id, awaited, leftMs, signal));
  }
}

async function isFish({ foreground }: RunParts, pid: number): Promise<boolean> {
  const holder = await foreground.holder(pid);
  return holder.who === 'own' && programName(holder.argv[0] ?? '') === 'fish';
}

/**
 * Returns whether bash has refused the line in the midst of parsing it, as it does with `[[ a`. bash then shows its prompt
 * as it was before, runs no hooks, and drops the next line, whatever that is. So this interrupts it.
 */
async function isRefusedAtPrompt(
  parts: RunParts,
  request: RunRequest,
  { signal }: Scope,
  progress: Progress,
  { commands, taken }: RunWatch,
): Promise<boolean> {
  const { id, runId } = request;
  const { integration, runId: current } = parts.commands.shellStatus(id);
  if (integration !== 'bash' || current !== runId || commands.length > 0 || taken === undefined) return false;
  const { cursor: end } = await placeOf(parts, id, signal);
  const refusal = await findRefusal(parts, id, { start: taken, end }, signal);
  if (!refusal) return false;
  await interrupt(parts, request, true);
  // The status is that of the interrupt.
  Object.assign(progress, { refusal: refusal.printed, reason: 'refused' });
  return true;
}

/**
 * Finds the shell's messages about a line that started nothing, or about several lines if bash refused some of them:
 * these messages are output of the run, too.
 */
async function findWhatWasSaid(
  parts: RunParts,
  { id, command }: RunRequest,
  scope: Scope,
  progress: Progress,
  { commands, taken, over }: RunWatch,
): Promise<void> {
  const [first] = commands;
  if (first && progress.isCertain()) return;
  if (isNothing(command, parts.commands.shellStatus(id).integration)) return;
  const end = first ? first.outputCursor.start : over?.cursor;
  if (taken === undefined || end === undefined) {
    if (!first) progress.reason = 'restarted';
    return;
  }
  const since = { start: taken, end };
  const refusal = await findRefusal(parts, id, since, scope.signal);
  if (!refusal) return;
  progress.refusal = refusal.printed;
  if (first) return;
  progress.exitCode = over?.exitCode ?? null;
  progress.reason = 'refused';
}
