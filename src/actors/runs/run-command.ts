import { AGENT_SUBMIT_DELAY_MS, UNTOLD_END_MS } from '../../contract/limits.js';
import { newNonce } from '../marks.js';
import { isGone } from '../screens.js';
import { untilForeground, untilIdle } from '../waits/quiet.js';
import { pause, type Scope, within } from '../waits/scope.js';
import { untilGone } from '../waits/shell-watch.js';
import { runInShell, untilReady } from './in-shell.js';
import type { Progress } from './progress.js';
import { isPosixShell, sentinelLine } from './sentinel.js';
import { following, type RunParts, type RunRequest, type } from './typed.js';

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
    const command = request.command.replace(/[\r\n]+$/, '');
    await run(parts, { ...request, command }, scope, progress);
  } catch (error) {
    if (!isGone(error) || !progress.isTyped) throw error;
    // The shard may know of it before anybody else does.
    await untilGone(parts.commands, request.id, scope.signal);
    progress.exitCode = parts.terminals.startOf(request.id).exit?.exitCode ?? null;
  }
  progress.isDone = true;
}

async function run(parts: RunParts, request: RunRequest, scope: Scope, progress: Progress): Promise<void> {
  const { id } = request;
  const ready = await untilReady(parts, id, scope);
  if (ready === 'rest') return runInShell(parts, request, scope, progress);
  if (ready === 'busy') return typeToProgram(parts, request, scope, progress);
  const { pid, meta } = parts.terminals.startOf(id);
  const holder = await parts.foreground.holder(pid);
  if (holder === 'others') return typeToProgram(parts, request, scope, progress);
  if (isPosixShell(meta.shell)) return runBetweenMarks(parts, request, scope, progress);
  progress.printed = { start: (await type(parts, request, request.command, progress)).cursor };
  progress.waitedBy = await untilForeground(parts, id, request.idleMs, scope);
}

/** A shell that is not integrated is told to print marks around the command. Its end may stay untold, as after ctrl+c. */
async function runBetweenMarks(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
): Promise<void> {
  const { id, command, idleMs } = request;
  const token = newNonce();
  await parts.commands.expectMarks(id, token);
  await following(parts, id, scope, progress, async (watch) => {
    const line = sentinelLine(parts.terminals.startOf(id).meta.shell, command, token);
    progress.printed = { start: (await type(parts, request, line, progress)).cursor };
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
  });
}

/** A program that runs already gets it as its input, and nothing but quiet tells that it is through with it. */
async function typeToProgram(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
): Promise<void> {
  // Agents swallow an Enter that comes in the same read as a paste.
  const before = await type(parts, request, request.command, progress, AGENT_SUBMIT_DELAY_MS);
  progress.printed = { start: before.cursor };
  progress.waitedBy = 'idle';
  // The quiet of before does not count.
  await pause(request.idleMs, scope.signal);
  await untilIdle(parts, request.id, request.idleMs, scope);
}
