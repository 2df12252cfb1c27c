import { createHmac } from 'node:crypto';
import { DomainError } from '../../contract/errors.js';
import { AGENT_SUBMIT_DELAY_MS, UNTOLD_END_MS } from '../../contract/limits.js';
import { isGone } from '../screens.js';
import { untilForeground, untilIdle } from '../waits/quiet.js';
import { pause, type Scope, within } from '../waits/scope.js';
import { throughShardDeaths } from '../waits/shard-deaths.js';
import { untilGone } from '../waits/shell-watch.js';
import { runInPlainShell } from './in-plain-shell.js';
import { runInShell } from './in-shell.js';
import type { Progress } from './progress.js';
import { type Reader, untilReady } from './ready.js';
import { RunWatch } from './run-watch.js';
import { sentinelLine } from './sentinel.js';
import { type RunParts, type RunRequest, type, wasTyped } from './typed.js';

/** Drops what somebody may type in the same moment: Ctrl+U, for line editors and for the terminal's own line. */
const CLEAR_LINE = '\x15';

/** Characters of what the marks of one command carry. */
const TOKEN_CHARS = 32;

/**
 * Types a command into a terminal and resolves once it has ended, as `progress` tells meanwhile. Only what has to be
 * waited for ends with the scope: a shell that is at its prompt gets the command in any case. Rejects with
 * terminal-not-found, input-buffer-full, command-incomplete, and when the scope ends.
 */
export async function runCommand(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
): Promise<void> {
  try {
    // What ends a line is typed after it in any case.
    const command = request.command.replace(/\r\n?/g, '\n').replace(/\n+$/, '');
    await run(parts, { ...request, command }, scope, progress);
  } catch (error) {
    if (!isGone(error) || !progress.isTyped) throw error;
    // The shard may know of it before anybody else does.
    await untilGone(parts.commands, request.id, scope.signal);
    progress.exitCode = parts.terminals.startOf(request.id).exit?.exitCode ?? null;
  }
  mustBeKnown(parts, request.id);
  progress.isDone = true;
}

/** Throws terminal-not-found where the terminal was lost meanwhile: then nobody knows how the command has ended. */
function mustBeKnown({ terminals }: RunParts, id: string): void {
  try {
    if (terminals.startOf(id).exit?.reason === undefined) return;
  } catch (error) {
    // Closed since the command has ended.
    if (isGone(error)) return;
    throw error;
  }
  throw new DomainError('terminal-not-found');
}

async function run(parts: RunParts, request: RunRequest, scope: Scope, progress: Progress): Promise<void> {
  const reader = (await readerBefore(parts, request)) ?? (await untilReady(parts, request, scope));
  switch (reader.kind) {
    case 'shell':
      return runInShell(parts, request, scope, progress);
    case 'plain-shell':
      return runInPlainShell(parts, request, scope, progress);
    case 'posix-shell':
      return runBetweenMarks(parts, request, scope, progress, reader.name);
    case 'own':
    case 'program':
      return typeToProgram(parts, request, scope, progress, reader.kind);
  }
}

/** What a former service has typed the command to; undefined where it has not, or there was none. */
async function readerBefore(parts: RunParts, request: RunRequest): Promise<Reader | undefined> {
  const { id, runId, isResumed } = request;
  if (!isResumed || !(await wasTyped(parts, request))) return undefined;
  if (await parts.lines.isTaken(id, runId)) return { kind: 'shell' };
  // The line itself is not typed again.
  if (parts.commands.isExpected(id, runId)) return { kind: 'posix-shell', name: 'sh' };
  return { kind: parts.commands.standing(id).integration === 'none' ? 'own' : 'plain-shell' };
}

/**
 * A shell that is not integrated prints marks around the command, as the line says. Its end may stay untold, as after
 * ctrl+c. Throws line-editor-busy where somebody has begun to type a line.
 */
async function runBetweenMarks(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
  shell: string,
): Promise<void> {
  const { id, runId, command, idleMs, isResumed } = request;
  if (!isResumed && parts.submissions.hasDraft(id)) throw new DomainError('line-editor-busy');
  const token = tokenOf(parts.terminals.startOf(id).meta.marks.nonce, runId);
  const expected = { commandLine: command, runId };
  await throughShardDeaths(scope.signal, () => parts.commands.expectMarks(id, token, expected));
  const watch = new RunWatch(parts.commands, request, scope.signal);
  progress.commands = () => watch.commands;
  progress.isCut = () => watch.isCut;
  try {
    const line = sentinelLine(shell, command, token);
    progress.printed = { start: (await type(parts, request, line, progress, { first: CLEAR_LINE })).cursor };
    progress.waitedBy = 'sentinel';
    const ended = async () => {
      while (!watch.ended) await watch.changed();
      return 'sentinel' as const;
    };
    progress.waitedBy = await within(scope.signal, (signal) => {
      const until = { signal, leftMs: scope.leftMs, isAlone: true };
      const untold = untilForeground(parts, id, Math.max(UNTOLD_END_MS, idleMs), until);
      return Promise.race([ended(), untold]);
    });
  } finally {
    watch.close();
  }
}

/** Nobody can guess it, and the service that goes on with the run knows it, too. */
function tokenOf(nonce: string, runId: string): string {
  return createHmac('sha256', nonce).update(runId).digest('hex').slice(0, TOKEN_CHARS);
}

/** A program gets it as its input, and nothing but quiet tells that it is through with it, if it does not end. */
async function typeToProgram(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
  reader: 'own' | 'program',
): Promise<void> {
  const { id, command, idleMs } = request;
  // Agents swallow an Enter that comes in the same read as a paste.
  const before = await type(parts, request, command, progress, { submitDelayMs: AGENT_SUBMIT_DELAY_MS });
  progress.printed = { start: before.cursor };
  progress.waitedBy = 'idle';
  progress.waitedBy = await within(scope.signal, (signal) => {
    const until = { signal, leftMs: scope.leftMs };
    const quiet =
      reader === 'own' ? untilForeground(parts, id, idleMs, until) : untilQuiet(parts, request, until);
    return Promise.race([quiet, untilGone(parts.commands, id, signal)]).then((waitedBy) => {
      if (waitedBy === undefined) throw new DomainError('terminal-not-found');
      return waitedBy;
    });
  });
}

async function untilQuiet(
  parts: RunParts,
  { id, idleMs }: RunRequest,
  until: Pick<Scope, 'signal' | 'leftMs'>,
): Promise<'idle'> {
  // The quiet of before does not count.
  await pause(idleMs, until.signal);
  await untilIdle(parts, id, idleMs, until);
  return 'idle';
}
