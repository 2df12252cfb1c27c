import { DomainError } from '../../contract/errors.js';
import { UNTOLD_END_MS } from '../../contract/limits.js';
import { untilForeground } from '../waits/quiet.js';
import { type Scope, within } from '../waits/scope.js';
import { throughShardDeaths } from '../waits/shard-deaths.js';
import { interrupt } from './incomplete.js';
import { programName } from './posix-shell.js';
import type { Progress } from './progress.js';
import { findRefusal } from './refusal.js';
import { RunWatch } from './run-watch.js';
import { stage } from './stage.js';
import { lookAt, type RunParts, type RunRequest } from './typed.js';
import { unlessAborted } from './unless-aborted.js';

/** Characters of a command line that are compared: a shell may cut a long one. */
const COMPARED_CHARS = 1_000;

/**
 * Runs a command in an integrated shell that waits for input, and follows it by its id. Throws command-incomplete for
 * a command that the shell wants more of, after interrupting it, and as {@link stage} does; `progress` reports a
 * refusal.
 */
export async function runInShell(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
): Promise<void> {
  const { id, runId } = request;
  // The stage outlives the scope for a moment.
  const watch = new RunWatch(parts.commands, request, new AbortController().signal);
  progress.commands = () => watch.commands;
  progress.isCut = () => watch.isCut;
  progress.waitedBy = 'integration';
  try {
    const isKnown = parts.commands.standing(id).runId === runId || (await parts.lines.isTaken(id, runId));
    if (isKnown) progress.isTyped = true;
    else await stage(parts, request, scope, progress, watch);
    await untilOver(parts, request, scope, progress, watch);
  } finally {
    watch.close();
  }
}

async function untilOver(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
  watch: RunWatch,
): Promise<void> {
  const how = await within(scope.signal, (signal) =>
    Promise.race([reported(parts, request, watch, signal), untold(parts, request, scope, signal)]),
  );
  if (how === 'untold') {
    progress.waitedBy = 'foreground';
    progress.reason = 'untold';
    return;
  }
  if (how === 'incomplete') {
    progress.reason = 'incomplete';
    if (parts.commands.standing(request.id).isContinued) await interrupt(parts, request);
    throw new DomainError('command-incomplete');
  }
  if (parts.commands.standing(request.id).integration === 'fish' && !isOwn(request.command, watch)) {
    // A search of the history that fish had under way has replaced the line after it was staged.
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

/** Whether every line that the shell reports is part of the command. fish changes no line, except for abbreviations. */
function isOwn(command: string, { commands }: RunWatch): boolean {
  const bare = (line: string) => line.replace(/\s+/g, '').slice(0, COMPARED_CHARS);
  const whole = command.replace(/\s+/g, '');
  return commands.every(({ commandLine }) => whole.includes(bare(commandLine)));
}

/** Resolves once the shell has reported that it is through with the line. */
async function reported(
  parts: RunParts,
  { id, runId }: RunRequest,
  watch: RunWatch,
  signal: AbortSignal,
): Promise<'prompt' | 'incomplete' | 'gone'> {
  for (;;) {
    if (watch.over) return watch.over.how;
    // It was before this service began to follow it.
    if (watch.taken === undefined && (await isPast(parts, id, runId, signal))) return 'prompt';
    await unlessAborted(watch.changed(), signal);
  }
}

/** Whether the shell is not at this line any more, once the shard has gone through all that was printed by now. */
async function isPast(parts: RunParts, id: string, runId: string, signal: AbortSignal): Promise<boolean> {
  await lookAt(parts, id, signal);
  // The marks before that answer came by a port of their own.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return parts.commands.standing(id).runId !== runId;
}

/**
 * Resolves once the terminal's own program edits a line again, alone in the foreground and quiet, though no shell has
 * reported an end: it was replaced, or reports nothing any more. Pastes are marked by line editors, not by shells that
 * wait for a command. fish edits a line for `read`, too: there only another program counts.
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
    const { modes, position } = await lookAt(parts, id, signal);
    if (modes.bracketedPaste && !(await isFish(parts, pid))) return 'untold';
    const awaited = { kind: 'output', after: position } as const;
    await throughShardDeaths(signal, () => parts.screens.until(id, awaited, leftMs, signal));
  }
}

async function isFish({ foreground }: RunParts, pid: number): Promise<boolean> {
  const holder = await foreground.holder(pid);
  return holder.who === 'own' && programName(holder.argv[0] ?? '') === 'fish';
}

/** Of a line that started nothing, and of several lines of which bash refused some, what the shell said is output, too. */
async function findWhatWasSaid(
  parts: RunParts,
  { id, command }: RunRequest,
  scope: Scope,
  progress: Progress,
  { commands, taken, over }: RunWatch,
): Promise<void> {
  const [first] = commands;
  if (command.trim() === '' || (first && !command.includes('\n'))) return;
  if (taken === undefined || !over) {
    if (!first) progress.reason = 'restarted';
    return;
  }
  const since = { start: taken, end: first ? first.outputCursor.start : over.cursor };
  const refusal = await findRefusal(parts, id, since, scope.signal);
  if (!refusal) return;
  progress.refusal = refusal.printed;
  if (first) return;
  progress.exitCode = over.exitCode;
  progress.reason = 'refused';
}
