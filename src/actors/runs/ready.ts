import {
  FOREGROUND_LOOK_MS,
  PROGRAM_PROMPT_MS,
  PROGRAM_STARTED_MS,
  TYPE_AHEAD_MS,
} from '../../contract/limits.js';
import { hrMs } from '../../workers/clock.js';
import type { Look } from '../../workers/shard/protocol.js';
import { untilIdle } from '../waits/quiet.js';
import { pause, type Scope, within } from '../waits/scope.js';
import { throughShardDeaths } from '../waits/shard-deaths.js';
import { isAtRest, shellState, untilShell } from '../waits/shell-rest.js';
import { ShellWatch } from '../waits/shell-watch.js';
import { interrupt, untilIncomplete } from './incomplete.js';
import { posixShell, readingShell } from './posix-shell.js';
import { lookAt, type RunParts, type RunRequest } from './typed.js';

/**
 * Who reads what is typed into a terminal: a `shell` that is integrated, a `plain-shell` that is and has no keys for runs, a `posix-shell` that is not, another program
 * that the terminal was started with (`own`), or a `program` that its shell runs.
 */
export type Reader =
  | { kind: 'shell' | 'plain-shell' | 'own' | 'program' }
  | { kind: 'posix-shell'; name: string };

type Limits = Pick<Scope, 'signal' | 'leftMs'>;

/** Programs that do not mark pastes end their prompts so. Not `:`, `?` or `)`: these ask for an answer. */
const PROMPT_END = /[>$#❯]$/;

/**
 * Resolves once a command that is typed reaches who is to have it, and nothing else: what runs or was submitted before
 * is waited for, unless it shows a prompt of its own. A shell that waits for the rest of what somebody has typed is
 * made to forget that. Rejects with terminal-not-found, and when the scope ends, which a shell at rest does not ask.
 */
export async function untilReady(parts: RunParts, request: RunRequest, scope: Scope): Promise<Reader> {
  const { id } = request;
  for (;;) {
    const state = shellState(parts, id);
    if (state.integration === 'none') return untilOwn(parts, id, scope);
    if (isAtRest(state)) return { kind: state.takesRuns ? 'shell' : 'plain-shell' };
    if (state.isContinued) {
      await interrupt(parts, request);
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
    if (came === 'incomplete') await interrupt(parts, request);
  }
}

/** Resolves once the shell waits for input, or for the rest of a command, or turns out not to be integrated. */
async function untilRest(parts: RunParts, id: string, limits: Limits): Promise<void> {
  const watch = new ShellWatch(parts.commands, id, limits.signal);
  try {
    await untilShell(parts, id, watch, (state) => isAtRest(state) || state.isContinued, limits);
  } finally {
    watch.close();
  }
}

function runsOne({ commands }: RunParts, id: string): boolean {
  const { running, atPrompt } = commands.standing(id);
  return running !== null && !atPrompt;
}

/** Where no shell tells, processes do: the terminal's own program is in the foreground, or what it runs is. */
async function untilOwn(parts: RunParts, id: string, scope: Scope): Promise<Reader> {
  await untilTaken(parts, id, scope.signal);
  const { pid, meta } = parts.terminals.startOf(id);
  for (let showsPrompt = false; ; ) {
    const holder = await parts.foreground.holder(pid);
    if (holder.who === 'others') {
      // Unless it was the shell's own, which has come back meanwhile.
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

/** Whether a prompt came first; else the terminal's own program has the foreground again. */
function untilPromptOrOwn(parts: RunParts, id: string, pid: number, scope: Scope): Promise<boolean> {
  return within(scope.signal, (signal) =>
    Promise.race([
      untilPrompt(parts, id, { signal, leftMs: scope.leftMs }, () => true).then(() => true),
      parts.foreground.rests(pid, signal).then(() => false),
    ]),
  );
}

/** What was submitted a moment ago may not have begun, unless it is known to have ended. */
async function untilTaken({ terminals, commands }: RunParts, id: string, signal: AbortSignal): Promise<void> {
  const { submittedAt } = terminals.startOf(id);
  if (submittedAt === undefined) return;
  if ((commands.standing(id).lastEndAt ?? 0) >= submittedAt) return;
  await pause(Math.max(0, submittedAt + TYPE_AHEAD_MS - hrMs()), signal);
}

/** Resolves once a program has shown a prompt, and nothing more for a while, and `isRunning`. */
async function untilPrompt(
  parts: RunParts,
  id: string,
  { signal, leftMs }: Limits,
  isRunning: () => boolean,
): Promise<void> {
  for (;;) {
    await untilIdle(parts, id, PROGRAM_PROMPT_MS, { signal, leftMs });
    const look = await lookAt(parts, id, signal);
    if (isRunning() && isPrompt(look)) return;
    const awaited = { kind: 'output', after: look.position } as const;
    await throughShardDeaths(signal, () => parts.screens.until(id, awaited, leftMs, signal));
  }
}

/** A program that has pastes marked reads the terminal; so, most likely, does one whose line ends as prompts do. */
function isPrompt({ modes, rows, cursorRow }: Look): boolean {
  return modes.bracketedPaste || PROMPT_END.test(rows[cursorRow] ?? '');
}
