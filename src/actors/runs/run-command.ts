import { AGENT_SUBMIT_DELAY_MS, PROMPT_SETTLE_MS, UNTOLD_END_MS } from '../../contract/limits.js';
import type { InputOrigin } from '../../contract/terminal.js';
import type { Look } from '../../workers/shard/protocol.js';
import type { Commands } from '../commands/commands.js';
import { newNonce } from '../marks.js';
import { typedText } from '../paste.js';
import type { Foreground } from '../processes/foreground.js';
import { isGone, type Screens } from '../screens.js';
import type { Terminals } from '../terminals.js';
import { type QuietParts, untilForeground, untilIdle } from '../waits/quiet.js';
import { pause, type Scope, within } from '../waits/scope.js';
import { throughShardDeaths } from '../waits/shard-deaths.js';
import { isAtRest, type ShellParts, untilShell } from '../waits/shell-rest.js';
import { ShellWatch, untilGone } from '../waits/shell-watch.js';
import type { Progress } from './progress.js';
import { isPosixShell, sentinelLine } from './sentinel.js';

export interface RunParts extends ShellParts, QuietParts {
  terminals: Pick<Terminals, 'startOf' | 'type'>;
  screens: Pick<Screens, 'until' | 'look'>;
  commands: Pick<Commands, 'standing' | 'follow' | 'expectMarks'>;
  foreground: Pick<Foreground, 'rests' | 'holder'>;
}

export interface RunRequest {
  id: string;
  command: string;
  origin: InputOrigin;
  idleMs: number;
}

/**
 * Types a command into a terminal and resolves once it has ended, as `progress` tells meanwhile. Only what has to be
 * waited for ends with the scope: a shell that is at its prompt gets the command in any case. Rejects with
 * terminal-not-found, input-buffer-full, and when the scope ends.
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
  const isReady = await untilReady(parts, id, scope);
  if (isReady) return runInShell(parts, request, scope, progress);
  if (isReady === false) return typeToProgram(parts, request, scope, progress);
  const { pid, meta } = parts.terminals.startOf(id);
  const holder = await parts.foreground.holder(pid);
  if (holder === 'others') return typeToProgram(parts, request, scope, progress);
  if (isPosixShell(meta.shell)) return runBetweenMarks(parts, request, scope, progress);
  progress.printed = { start: (await type(parts, request, request.command, progress)).cursor };
  progress.waitedBy = await untilForeground(parts, id, request.idleMs, scope);
}

/** True once an integrated shell waits for input, false if it runs a command, undefined where none is integrated. */
async function untilReady(parts: RunParts, id: string, scope: Scope): Promise<boolean | undefined> {
  const watch = new ShellWatch(parts.commands, id, scope.signal);
  try {
    const state = await untilShell(
      parts,
      id,
      watch,
      (state) => isAtRest(state) || (!state.atPrompt && state.running !== null),
    );
    return state && isAtRest(state);
  } finally {
    watch.close();
  }
}

/** The shell tells when it has started what was typed, and when it waits for input again. */
async function runInShell(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
): Promise<void> {
  await following(parts, request.id, scope, progress, async (watch) => {
    await untilPastable(parts, request, scope);
    await type(parts, request, request.command, progress);
    progress.waitedBy = 'integration';
    await untilShell(parts, request.id, watch, isAtRest);
  });
}

/** A shell that is not integrated is told to print marks around the command. Its end may stay untold, as after ctrl+c. */
async function runBetweenMarks(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
): Promise<void> {
  const { id, command } = request;
  const token = newNonce();
  await parts.commands.expectMarks(id, token);
  await following(parts, id, scope, progress, async (watch) => {
    const line = sentinelLine(parts.terminals.startOf(id).meta.shell, command, token);
    progress.printed = { start: (await type(parts, request, line, progress)).cursor };
    progress.waitedBy = 'sentinel';
    const idleMs = Math.max(UNTOLD_END_MS, request.idleMs);
    const ended = async () => {
      while (!watch.ended) await watch.changed();
    };
    await within(scope.signal, async (signal) => {
      const until = { signal, leftMs: scope.leftMs, isAlone: true };
      const untold = untilForeground(parts, id, idleMs, until);
      progress.waitedBy = (await Promise.race([ended(), untold])) ?? 'sentinel';
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

/** Has `progress` tell of the commands that begin while `work` goes on. */
async function following(
  parts: RunParts,
  id: string,
  scope: Scope,
  progress: Progress,
  work: (watch: ShellWatch) => Promise<void>,
): Promise<void> {
  const watch = new ShellWatch(parts.commands, id, scope.signal);
  progress.commands = () => watch.commands;
  progress.isCut = () => watch.isCut;
  try {
    await work(watch);
  } finally {
    watch.close();
  }
}

/** A command of several lines, or with tabs in it, is one only where it is pasted. */
async function untilPastable(parts: RunParts, { id, command }: RunRequest, scope: Scope): Promise<void> {
  if (!/[\x00-\x1f\x7f]/.test(command)) return;
  const { modes, quietMs } = await parts.screens.look(id);
  if (!modes.bracketedPaste && quietMs < PROMPT_SETTLE_MS)
    await untilIdle(parts, id, PROMPT_SETTLE_MS, scope);
}

/** Types a text and Enter, after a pause where it was pasted; gives how the screen stood before. */
async function type(
  { screens, terminals }: RunParts,
  { id, origin }: RunRequest,
  text: string,
  progress: Progress,
  submitDelayMs = 0,
): Promise<Look> {
  const before = await throughShardDeaths(new AbortController().signal, () => screens.look(id));
  const { bracketedPaste: bracketed } = before.modes;
  const delayMs = bracketed ? submitDelayMs : 0;
  await terminals.type(id, [{ data: typedText(text, { bracketed }) }, { data: '\r', delayMs }], origin);
  progress.isTyped = true;
  return before;
}
