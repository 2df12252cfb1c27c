import {
  FOREGROUND_LOOK_MS,
  PROGRAM_PROMPT_MS,
  PROGRAM_STARTED_MS,
  TYPE_AHEAD_MS,
} from '../../contract/limits.js';
import { hrMs } from '../../workers/clock.js';
import type { ScreenStatus } from '../../workers/shard/screen-status.js';
import { pause } from '../abortable.js';
import { untilIdle } from '../waits/quiet.js';
import { type Scope, within } from '../waits/scope.js';
import { retryAcrossShardRestart } from '../waits/shard-restart.js';
import { isAtRest, shellState, untilShell } from '../waits/shell-rest.js';
import { ShellWatch } from '../waits/shell-watch.js';
import { interrupt, untilIncomplete } from './incomplete.js';
import { posixShell, readingShell } from './posix-shell.js';
import type { RunParts, RunRequest } from './typed.js';

/**
 * Reader of a terminal's input: a `shell` that is integrated, a `plain-shell` that is integrated but has no keys
 * for runs, a `posix-shell` that is not integrated, another program that the terminal was started with (`own`), or a
 * `program` that its shell runs.
 */
export type Reader =
  | { kind: 'shell' | 'plain-shell' | 'own' | 'program' }
  | { kind: 'posix-shell'; name: string };

type Limits = Pick<Scope, 'signal' | 'leftMs'>;

/** How prompts end in programs that do not turn on bracketed paste. Not `:`, `?` or `)`: these ask for an answer. */
const PROMPT_END = /[>$#❯]$/;

/**
 * Resolves once a typed command would reach its intended reader and nothing else: waits for the running program and
 * for earlier submissions, unless the program shows a prompt of its own. Interrupts a shell that waits for the
 * remainder of a command. Rejects with terminal-not-found, {@link Overtaken}, and when the scope ends, except for a
 * shell at rest, where the scope is not checked.
 */
export async function untilReady(parts: RunParts, request: RunRequest, scope: Scope): Promise<Reader> {
  const { id } = request;
  for (;;) {
    const state = shellState(parts, id);
    if (state.integration === 'none') return untilOwn(parts, id, scope);
    if (isAtRest(state)) return { kind: state.takesRuns ? 'shell' : 'plain-shell' };
    if (state.isContinued) {
      // A shell that ignores the interrupt would otherwise be interrupted for ever.
      scope.signal.throwIfAborted();
      await interrupt(parts, request, false);
      continue;
    }
    const came = await within(scope.signal, (signal) => {
      const limits = { signal, leftMs: scope.leftMs };
      return Promise.race([
        untilRest(parts, id, limits).then(() => 'rest' as const),
        untilPrompt(parts, id, limits, () => runsOne(parts, id)).then(() => 'program' as const),
        ...(state.takesRuns ? [] : [untilIncomplete(parts, id, 0, limits).then(() => 'incomplete' as const)]),
      ]);
    });
    if (came === 'program') return { kind: came };
    if (came === 'incomplete') await interrupt(parts, request, false);
  }
}

/** Resolves once the shell waits for input or for the remainder of a command, or turns out not to be integrated. */
async function untilRest(parts: RunParts, id: string, limits: Limits): Promise<void> {
  const watch = new ShellWatch(parts.commands, id, limits.signal);
  try {
    await untilShell(parts, id, watch, (state) => isAtRest(state) || state.isContinued, limits);
  } finally {
    watch.close();
  }
}

function runsOne({ commands }: RunParts, id: string): boolean {
  const { running, atPrompt } = commands.shellStatus(id);
  return running !== null && !atPrompt;
}

/**
 * Where no shell reports, decides by the processes: either the terminal's own program is in the foreground, or a
 * program that it runs.
 */
async function untilOwn(parts: RunParts, id: string, scope: Scope): Promise<Reader> {
  await untilTaken(parts, id, scope.signal);
  const { pid, meta } = parts.terminals.startOf(id);
  for (let showsPrompt = false; ; ) {
    const holder = await parts.foreground.holder(pid);
    if (holder.who === 'others') {
      // The prompt seen may have been that of the shell, back in the foreground; this second look at the processes
      // rules that out.
      if (showsPrompt) return { kind: 'program' };
      showsPrompt = await untilPromptOrOwn(parts, id, pid, scope);
      continue;
    }
    const name = holder.who === 'own' ? readingShell(holder.argv) : posixShell(meta.shell);
    if (name !== undefined) return { kind: 'posix-shell', name };
    const isStarted = hrMs() - meta.startedAt > PROGRAM_STARTED_MS;
    if (isStarted || posixShell(meta.shell) === undefined) return { kind: 'own' };
    await pause(FOREGROUND_LOOK_MS, scope.signal);
  }
}

/**
 * Resolves with true if a program shows a prompt first, with false if the terminal's own program gets the foreground
 * back first.
 */
function untilPromptOrOwn(parts: RunParts, id: string, pid: number, scope: Scope): Promise<boolean> {
  return within(scope.signal, (signal) =>
    Promise.race([
      untilPrompt(parts, id, { signal, leftMs: scope.leftMs }, () => true).then(() => true),
      parts.foreground.rests(pid, signal).then(() => false),
    ]),
  );
}

/**
 * Waits up to TYPE_AHEAD_MS after the last submission, which may not have started anything yet, unless its end is
 * already known.
 */
async function untilTaken({ terminals, commands }: RunParts, id: string, signal: AbortSignal): Promise<void> {
  const { submittedAt } = terminals.startOf(id);
  if (submittedAt === undefined) return;
  if ((commands.shellStatus(id).lastEndAt ?? 0) >= submittedAt) return;
  await pause(Math.max(0, submittedAt + TYPE_AHEAD_MS - hrMs()), signal);
}

/**
 * Resolves once a program has shown a prompt, has printed nothing more for PROGRAM_PROMPT_MS, and `isRunning` holds.
 */
async function untilPrompt(
  parts: RunParts,
  id: string,
  { signal, leftMs }: Limits,
  isRunning: () => boolean,
): Promise<void> {
  for (;;) {
    await untilIdle(parts, id, PROGRAM_PROMPT_MS, { signal, leftMs });
    const look = await retryAcrossShardRestart(signal, () => parts.screens.look(id));
    if (isRunning() && isPrompt(look)) return;
    const awaited = { kind: 'output', after: look.position } as const;
    await retryAcrossShardRestart(signal, () => parts.screens.until(id, awaited, leftMs, signal));
  }
}

/**
 * Returns whether a program reads the terminal: certainly if it has turned on bracketed paste, and most likely if the
 * cursor's row ends like a prompt.
 */
function isPrompt({ modes, rows, cursorRow }: ScreenStatus): boolean {
  return modes.bracketedPaste || PROMPT_END.test(rows[cursorRow] ?? '');
}
