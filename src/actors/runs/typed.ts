import type { InputOrigin } from '../../contract/terminal.js';
import type { Look } from '../../workers/shard/protocol.js';
import type { Commands } from '../commands/commands.js';
import { typedText } from '../paste.js';
import type { Foreground } from '../processes/foreground.js';
import type { Screens } from '../screens.js';
import type { Terminals } from '../terminals.js';
import type { QuietParts } from '../waits/quiet.js';
import { throughShardDeaths } from '../waits/shard-deaths.js';
import type { ShellParts } from '../waits/shell-rest.js';
import type { Progress } from './progress.js';
import type { RunLines } from './run-lines.js';

export interface RunParts extends ShellParts, QuietParts {
  terminals: Pick<Terminals, 'startOf' | 'type' | 'wasTyped' | 'press' | 'announceTyped'>;
  screens: Pick<Screens, 'until' | 'look' | 'stretch'>;
  commands: Pick<Commands, 'standing' | 'follow' | 'expectMarks' | 'isExpected' | 'ofRun' | 'markSilent'>;
  foreground: Pick<Foreground, 'rests' | 'holder'>;
  lines: Pick<RunLines, 'write' | 'giveUp' | 'isTaken'>;
}

/** A command to be run in one terminal. */
export interface RunRequest {
  /** Of the terminal. */
  id: string;
  /** Letters, digits, `_` and `-`. The same run goes on under it after a restart of the service. */
  runId: string;
  /** Its lines end with a line feed, the last one with nothing. */
  command: string;
  origin: InputOrigin;
  idleMs: number;
  /** A former service has begun it, and may have typed it. */
  isResumed?: boolean;
}

/** How the screen stands, though its shard dies meanwhile. */
export function lookAt(
  { screens }: Pick<RunParts, 'screens'>,
  id: string,
  signal: AbortSignal,
): Promise<Look> {
  return throughShardDeaths(signal, () => screens.look(id));
}

interface TypeOptions {
  /** Keys that come before the text. */
  first?: string;
  /** Between a paste and Enter. */
  submitDelayMs?: number;
}

/** Types a text and Enter, once for each run, after a pause where it was pasted; gives how the screen stood before. */
export async function type(
  parts: RunParts,
  { id, runId, origin }: RunRequest,
  text: string,
  progress: Progress,
  { first = '', submitDelayMs = 0 }: TypeOptions = {},
): Promise<Look> {
  const before = await lookAt(parts, id, new AbortController().signal);
  const { bracketedPaste: bracketed } = before.modes;
  const delayMs = bracketed ? submitDelayMs : 0;
  const keys = [
    ...(first ? [{ data: first }] : []),
    { data: typedText(text, { bracketed }) },
    { data: '\r', delayMs },
  ];
  await parts.terminals.type(id, keys, origin, { once: onceOf(runId, id) });
  progress.isTyped = true;
  return before;
}

/** Names one writing of a run, so that the pty host does it once, however often it is asked to. */
export function onceOf(runId: string, id: string, step?: string): string {
  return [runId, id, ...(step ? [step] : [])].join(':');
}

/** Whether the command was typed, or taken by its shell, before a restart of the service. Throws terminal-not-found. */
export async function wasTyped(
  { lines, terminals }: Pick<RunParts, 'lines' | 'terminals'>,
  { id, runId }: Pick<RunRequest, 'id' | 'runId'>,
): Promise<boolean> {
  return (await lines.isTaken(id, runId)) || terminals.wasTyped(id, onceOf(runId, id));
}
