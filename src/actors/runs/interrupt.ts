import { CANCEL_LOOK_MS } from '../../contract/limits.js';
import { isGone } from '../screens.js';
import { ShellWatch } from '../waits/shell-watch.js';
import type { Progress } from './progress.js';
import type { RunParts, RunRequest } from './typed.js';

const CTRL_C = '\x03';

/**
 * Types Ctrl+C for a command that was typed, once, while it runs and nothing else: its shell may have to begin it
 * first. What a program got as its input is left alone, since the program was somebody else's.
 */
export async function interrupt(
  parts: RunParts,
  { id, runId, origin }: RunRequest,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const watch = new ShellWatch(parts.commands, id, signal);
  try {
    while (!progress.isDone) {
      const { running } = parts.commands.standing(id);
      if (running?.runId === runId) {
        await parts.terminals.type(id, [{ data: CTRL_C }], origin, { once: `${runId}:${id}:cancel` });
        return;
      }
      if (!(await watch.changed(CANCEL_LOOK_MS))) return;
    }
  } catch (error) {
    if (!isGone(error) && !signal.aborted) throw error;
  } finally {
    watch.close();
  }
}
