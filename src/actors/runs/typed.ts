import type { InputOrigin } from '../../contract/terminal.js';
import type { Look } from '../../workers/shard/protocol.js';
import type { Commands } from '../commands/commands.js';
import { typedText } from '../paste.js';
import type { Foreground } from '../processes/foreground.js';
import type { Screens } from '../screens.js';
import type { Terminals } from '../terminals.js';
import type { QuietParts } from '../waits/quiet.js';
import type { Scope } from '../waits/scope.js';
import { throughShardDeaths } from '../waits/shard-deaths.js';
import type { ShellParts } from '../waits/shell-rest.js';
import { ShellWatch } from '../waits/shell-watch.js';
import type { Progress } from './progress.js';

export interface RunParts extends ShellParts, QuietParts {
  terminals: Pick<Terminals, 'startOf' | 'type' | 'wasTyped'>;
  screens: Pick<Screens, 'until' | 'look' | 'stretch'>;
  commands: Pick<Commands, 'standing' | 'follow' | 'expectMarks'>;
  foreground: Pick<Foreground, 'rests' | 'holder'>;
}

export interface RunRequest {
  /** The run that it is part of. */
  runId: string;
  id: string;
  command: string;
  origin: InputOrigin;
  idleMs: number;
}

/** How the screen stands, though its shard dies meanwhile. */
export function lookAt(
  { screens }: Pick<RunParts, 'screens'>,
  id: string,
  signal: AbortSignal,
): Promise<Look> {
  return throughShardDeaths(signal, () => screens.look(id));
}

/** Types a text and Enter, after a pause where it was pasted; gives how the screen stood before. */
export async function type(
  parts: RunParts,
  { runId, id, origin }: RunRequest,
  text: string,
  progress: Progress,
  submitDelayMs = 0,
): Promise<Look> {
  const before = await lookAt(parts, id, new AbortController().signal);
  const { bracketedPaste: bracketed } = before.modes;
  const delayMs = bracketed ? submitDelayMs : 0;
  const keystrokes = [{ data: typedText(text, { bracketed }) }, { data: '\r', delayMs }];
  await parts.terminals.type(id, keystrokes, origin, { once: `${runId}:${id}` });
  progress.isTyped = true;
  return before;
}

/** Has `progress` tell of the commands that begin while `work` goes on. */
export async function following(
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
