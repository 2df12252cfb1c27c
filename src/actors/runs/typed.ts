import { DomainError } from '../../contract/errors.js';
import type { InputOrigin, InputPart } from '../../contract/terminal.js';
import type { PlaceStatus } from '../../workers/shard/screen-status.js';
import type { Commands } from '../commands/commands.js';
import type { Ask } from '../input-gate/ask.js';
import type { Hold } from '../input-gate/hold.js';
import { typedText } from '../paste.js';
import type { Foreground } from '../processes/foreground.js';
import type { Screens } from '../screens.js';
import type { Terminals } from '../terminals.js';
import type { QuietParts } from '../waits/quiet.js';
import { retryAcrossShardRestart } from '../waits/shard-restart.js';
import type { ShellParts } from '../waits/shell-rest.js';
import type { Progress } from './progress.js';
import { repeatUnknown } from './repeat-unknown.js';
import type { RunLines } from './run-lines.js';

export const CTRL_C = '\x03';

export interface RunParts extends ShellParts, QuietParts {
  terminals: Pick<
    Terminals,
    'startOf' | 'readAll' | 'type' | 'wasTyped' | 'enter' | 'press' | 'announceTyped'
  >;
  screens: Pick<Screens, 'until' | 'look' | 'place' | 'rangeText'>;
  commands: Pick<
    Commands,
    'shellStatus' | 'find' | 'follow' | 'expectMarks' | 'isExpected' | 'ofRun' | 'markSilent'
  >;
  foreground: Pick<Foreground, 'rests' | 'holder'>;
  lines: Pick<RunLines, 'write' | 'giveUp' | 'isTaken'>;
}

/** A command to run in one terminal. */
export interface RunRequest {
  /** Id of the terminal. */
  id: string;
  /** Letters, digits, `_` and `-`. Identifies the same run after a restart of the service. */
  runId: string;
  /** Lines end with a line feed, except for the last. */
  command: string;
  origin: InputOrigin;
  idleMs: number;
  /** How it wants to pass the input gate. */
  ask?: Ask | undefined;
  /** Returns whether what is typed would still reach the reader that it is meant for; absent: it does. */
  isStillReady?: () => boolean;
  /** Whether it must not be typed any more, since no client waits for it. */
  isLeft?: boolean;
  /** Whether an earlier process of the service began the run. It may have typed the command. */
  isResumed?: boolean;
}

/** Returns the cursor and the modes of the terminal; asks again if its shard dies meanwhile. */
export function placeOf(
  { screens }: Pick<RunParts, 'screens'>,
  id: string,
  signal: AbortSignal,
): Promise<PlaceStatus> {
  return retryAcrossShardRestart(signal, () => screens.place(id));
}

/** While a run waited at the input gate, somebody else has typed: nothing of the run is typed, and it looks again. */
export class Overtaken extends Error {}

/**
 * Resolves with a hold of the terminal once the input gate lets the run through. Throws {@link Overtaken}, and the errors of
 * the gate.
 */
export async function enter(
  { terminals }: Pick<RunParts, 'terminals'>,
  { id, origin, ask, isStillReady }: RunRequest,
): Promise<Hold> {
  const hold = await terminals.enter(id, origin, ask);
  if (isStillReady?.() ?? true) return hold;
  hold.release();
  throw new Overtaken();
}

interface TypeOptions {
  /** After it, the typing is not repeated while its outcome is unknown. */
  signal: AbortSignal;
  /** Keys to type before the text. */
  first?: string;
  /** Milliseconds between a paste and Enter. */
  submitDelayMs?: number;
}

/**
 * Types a text and Enter, once for each run and terminal, with `submitDelayMs` between them if the text was pasted.
 * Returns the cursor and the modes before the typing. Throws {@link Overtaken}.
 */
export async function type(
  parts: RunParts,
  request: RunRequest,
  text: string,
  progress: Progress,
  { signal, first = '', submitDelayMs = 0 }: TypeOptions,
): Promise<PlaceStatus> {
  const { id, runId, origin, ask } = request;
  // What an earlier service process has typed needs no turn.
  const hold = progress.isTyped ? undefined : await enter(parts, request);
  try {
    const before = await placeOf(parts, id, new AbortController().signal);
    const keys = keysOf(text, before, { first, submitDelayMs });
    const options = { once: onceOf(runId, id), ask: { ...ask, hold } };
    await repeatUnknown(() => parts.terminals.type(id, keys, origin, options), signal);
    progress.isTyped = true;
    return before;
  } finally {
    hold?.release();
  }
}

function keysOf(
  text: string,
  { modes: { bracketedPaste: bracketed } }: PlaceStatus,
  { first, submitDelayMs }: Required<Pick<TypeOptions, 'first' | 'submitDelayMs'>>,
): InputPart[] {
  const delayMs = bracketed ? submitDelayMs : 0;
  return [
    ...(first ? [{ data: first }] : []),
    { data: typedText(text, { bracketed }) },
    { data: '\r', delayMs },
  ];
}

/**
 * Types Ctrl+C for a command that this run has typed: at once, even while others type. Types nothing if another program has
 * the lease by now: the terminal is no longer the run's.
 */
export async function interruptOwn(
  { terminals }: Pick<RunParts, 'terminals'>,
  { id, origin, ask }: RunRequest,
  once?: string,
): Promise<void> {
  const urgent: Ask = { who: ask?.who, lease: ask?.lease, isLeaseOptional: true, whenBusy: 'force' };
  try {
    await terminals.type(id, [{ data: CTRL_C }], origin, { once, ask: urgent });
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'locked')) throw error;
  }
}

/** Returns an id for one write of a run, by which the pty host does it only once, however often it is asked. */
export function onceOf(runId: string, id: string, step?: string): string {
  return [runId, id, ...(step ? [step] : [])].join(':');
}

/**
 * Resolves with whether the command was typed, or taken by its shell, before a restart of the service. Rejects with
 * terminal-not-found.
 */
export async function wasTyped(
  { lines, terminals }: Pick<RunParts, 'lines' | 'terminals'>,
  { id, runId }: Pick<RunRequest, 'id' | 'runId'>,
): Promise<boolean> {
  return lines.isTaken(id, runId) || terminals.wasTyped(id, onceOf(runId, id));
}
