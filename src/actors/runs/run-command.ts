import { createHmac } from 'node:crypto';
import { DomainError } from '../../contract/errors.js';
import { AGENT_SUBMIT_DELAY_MS, UNTOLD_END_MS } from '../../contract/limits.js';
import { pause } from '../abortable.js';
import { isGone } from '../screens.js';
import { untilForeground, untilIdle } from '../waits/quiet.js';
import { type Scope, within } from '../waits/scope.js';
import { retryAcrossShardRestart } from '../waits/shard-restart.js';
import { isAtRest, shellState } from '../waits/shell-rest.js';
import { untilGone } from '../waits/shell-watch.js';
import { runInPlainShell } from './in-plain-shell.js';
import { runInShell } from './in-shell.js';
import type { Progress } from './progress.js';
import { type Reader, untilReady } from './ready.js';
import { RunWatch } from './run-watch.js';
import { sentinelLine } from './sentinel.js';
import { Overtaken, type RunParts, type RunRequest, type } from './typed.js';

/**
 * Ctrl+U: drops what somebody may be typing at the same moment, both in line editors and in the line that the kernel
 * edits for the terminal.
 */
const CLEAR_LINE = '\x15';

/** Characters of the token that the marks of one command carry. */
const TOKEN_CHARS = 32;

/**
 * Types a command into a terminal and resolves once it has ended; keeps `progress` up to date meanwhile. The end of the
 * scope stops waiting only: a shell that is at its prompt gets the command in any case. A resumed run with
 * `progress.isTyped` is followed, and not typed. Rejects with terminal-not-found, input-buffer-full, line-editor-busy,
 * command-incomplete, and when the scope ends.
 */
export async function runCommand(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
): Promise<void> {
  // Its exit stays readable here when the registry drops the terminal: with `keepExitedMs` 0 it does so at the exit.
  const terminal = parts.terminals.startOf(request.id);
  try {
    // Enter is typed after the command in any case, so line ends at its end are dropped.
    const command = request.command.replace(/\r\n?/g, '\n').replace(/\n+$/, '');
    await run(parts, { ...request, command }, scope, progress);
  } catch (error) {
    if (!isGone(error) || !progress.isTyped) throw error;
    // The pty host refuses input from the exit on, and the shard may report the exit only after that.
    await untilGone(parts.commands, request.id, scope.signal);
    // It was closed while the command ran.
    if (!terminal.exit) throw error;
    progress.exitCode = terminal.exit.exitCode;
  }
  // The terminal was lost meanwhile: nobody knows how the command has ended.
  if (terminal.exit?.reason !== undefined) throw new DomainError('terminal-not-found');
  progress.isDone = true;
}

async function run(parts: RunParts, request: RunRequest, scope: Scope, progress: Progress): Promise<void> {
  const before = readerBefore(parts, request, progress);
  if (before) return runBy(before, parts, request, scope, progress);
  for (;;) {
    try {
      const reader = await untilReady(parts, request, scope);
      const isStillReady = readiness(parts, request, reader);
      await runBy(reader, parts, { ...request, isStillReady }, scope, progress);
      return;
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
    progress.waitedBy = null;
    scope.signal.throwIfAborted();
  }
}

/**
 * Returns a function that tells whether the reader still waits for a command. A run may wait at the input gate for long,
 * and its command must not become the input of a program that others start meanwhile.
 */
function readiness(parts: RunParts, { id, isResumed }: RunRequest, { kind }: Reader): () => boolean {
  const { terminals, submissions } = parts;
  if (kind === 'shell') return () => isAtRest(shellState(parts, id));
  const { submittedAt } = terminals.startOf(id);
  const isEmpty = () => kind === 'own' || kind === 'program' || isResumed || !submissions.hasDraft(id);
  return () => terminals.startOf(id).submittedAt === submittedAt && isEmpty();
}

function runBy(
  reader: Reader,
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
): Promise<void> {
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

/**
 * Returns the reader to which an earlier service process typed the command; undefined where it typed nothing, or where
 * there was no earlier process.
 */
function readerBefore(parts: RunParts, request: RunRequest, { isTyped }: Progress): Reader | undefined {
  const { id, runId, isResumed } = request;
  if (!isResumed || !isTyped) return undefined;
  if (parts.lines.isTaken(id, runId)) return { kind: 'shell' };
  // The line is not typed again, so the kind of shell does not matter.
  if (parts.commands.isExpected(id, runId)) return { kind: 'posix-shell', name: 'sh' };
  return { kind: parts.commands.shellStatus(id).integration === 'none' ? 'own' : 'plain-shell' };
}

/**
 * Types a line that makes a shell without integration print marks around the command. The end mark may never come, as
 * after Ctrl+C; then quiet, with nothing running but the shell, counts as the end. Throws line-editor-busy where
 * somebody has begun to type a line.
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
  await retryAcrossShardRestart(scope.signal, () => parts.commands.expectMarks(id, token, expected));
  const watch = new RunWatch(parts.commands, request, scope.signal);
  progress.commands = () => watch.commands;
  progress.isCut = () => watch.isCut;
  // Output since the typing counts only if no mark comes.
  progress.isCertain = () => watch.commands.length > 0;
  // An earlier service process may have seen the command begin.
  progress.tell();
  try {
    const line = sentinelLine(shell, command, token);
    const typing = { signal: scope.signal, first: CLEAR_LINE };
    progress.printed = { start: (await type(parts, request, line, progress, typing)).cursor };
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

/** Returns a token that nobody can guess, and that the next service process derives again when it resumes the run. */
function tokenOf(nonce: string, runId: string): string {
  return createHmac('sha256', nonce).update(runId).digest('hex').slice(0, TOKEN_CHARS);
}

/**
 * Types the command as input of a program. If the program does not exit, nothing but quiet shows that it is done with
 * the command.
 */
async function typeToProgram(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
  reader: 'own' | 'program',
): Promise<void> {
  const { id, command, idleMs } = request;
  // Agents swallow an Enter that comes in the same read as a paste.
  const typing = { signal: scope.signal, submitDelayMs: AGENT_SUBMIT_DELAY_MS };
  const before = await type(parts, request, command, progress, typing);
  progress.printed = { start: before.cursor };
  progress.isCertain = () => true;
  progress.tell();
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
  // Quiet from before the typing does not count.
  await pause(idleMs, until.signal);
  await untilIdle(parts, id, idleMs, until);
  return 'idle';
}
