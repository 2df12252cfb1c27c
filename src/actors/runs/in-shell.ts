import { DomainError } from '../../contract/errors.js';
import { PROMPT_SETTLE_MS, TYPE_AHEAD_MS, UNTOLD_END_MS } from '../../contract/limits.js';
import type { Look } from '../../workers/shard/protocol.js';
import { untilForeground, untilIdle } from '../waits/quiet.js';
import { type Scope, within } from '../waits/scope.js';
import { isAtRest, shellState, untilShell } from '../waits/shell-rest.js';
import { ShellWatch } from '../waits/shell-watch.js';
import type { Progress } from './progress.js';
import { following, type RunParts, type RunRequest, type } from './typed.js';

const CTRL_C = '\x03';

/** `rest` once an integrated shell waits for input, `busy` if it runs a command, undefined where none is integrated. */
export async function untilReady(
  parts: RunParts,
  id: string,
  scope: Scope,
): Promise<'rest' | 'busy' | undefined> {
  const watch = new ShellWatch(parts.commands, id, scope.signal);
  try {
    const state = await untilShell(
      parts,
      id,
      watch,
      (state) => isAtRest(state) || (!state.atPrompt && state.running !== null),
    );
    return state && (isAtRest(state) ? 'rest' : 'busy');
  } finally {
    watch.close();
  }
}

/**
 * Types a command into an integrated shell that waits for input: it tells what it starts, and when it waits again.
 * Throws command-incomplete for one that it wants more of, after taking it back.
 */
export async function runInShell(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
): Promise<void> {
  const { id, command } = request;
  await following(parts, id, scope, progress, async (watch) => {
    await untilPastable(parts, request, scope);
    const before = await type(parts, request, command, progress);
    progress.waitedBy = 'integration';
    const isIncomplete = await within(scope.signal, (signal) =>
      Promise.race([
        untilShell(parts, id, watch, isAtRest).then(() => false),
        untilIncomplete(parts, id, before, { signal, leftMs: scope.leftMs }).then(() => true),
      ]),
    );
    if (isIncomplete || (watch.commands.length === 0 && (await isLeft(parts, request)))) {
      await takeBack(parts, request, scope);
    }
    if (isIncomplete) throw new DomainError('command-incomplete');
  });
}

/** A command of several lines, or with tabs in it, is one only where it is pasted. */
async function untilPastable(parts: RunParts, { id, command }: RunRequest, scope: Scope): Promise<void> {
  if (!/[\x00-\x1f\x7f]/.test(command)) return;
  const { modes, quietMs } = await parts.screens.look(id);
  if (!modes.bracketedPaste && quietMs < PROMPT_SETTLE_MS)
    await untilIdle(parts, id, PROMPT_SETTLE_MS, scope);
}

/** Resolves once the shell has read what was typed, and neither runs anything nor shows its prompt: it reads on. */
async function untilIncomplete(
  parts: RunParts,
  id: string,
  before: Look,
  scope: Pick<Scope, 'signal' | 'leftMs'>,
): Promise<void> {
  const watch = new ShellWatch(parts.commands, id, scope.signal);
  try {
    for (;;) {
      const { running, atPrompt } = shellState(parts, id);
      const isRunning = running !== null && !atPrompt;
      if (await watch.changed(isRunning ? undefined : UNTOLD_END_MS)) continue;
      const { position } = await parts.screens.look(id);
      if (position <= before.position) continue;
      const rests = untilForeground(parts, id, UNTOLD_END_MS, scope);
      if ((await Promise.race([rests, watch.changed()])) === 'foreground') return;
    }
  } finally {
    watch.close();
  }
}

/** Whether the command still stands where the shell takes input: fish keeps what it refuses to run there. */
async function isLeft({ screens }: RunParts, { id, command }: RunRequest): Promise<boolean> {
  const { rows, cursorRow } = await screens.look(id);
  const last = command.split('\n').at(-1)?.trim() ?? '';
  return last !== '' && (rows[cursorRow]?.includes(last) ?? false);
}

/** Has the shell forget what it has been given; the next command would be typed behind it. */
async function takeBack(parts: RunParts, { id, origin }: RunRequest, { signal }: Scope): Promise<void> {
  const watch = new ShellWatch(parts.commands, id, signal);
  try {
    await parts.terminals.type(id, [{ data: CTRL_C }], origin);
    await watch.changed(TYPE_AHEAD_MS);
  } finally {
    watch.close();
  }
}
