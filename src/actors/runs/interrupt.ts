import { CANCEL_LOOK_MS, CANCEL_TRIES } from '../../contract/limits.js';
import { isGone } from '../screens.js';
import { ShellWatch } from '../waits/shell-watch.js';
import type { Progress } from './progress.js';
import { interruptOwn, type RunParts, type RunRequest } from './typed.js';

/**
 * Types Ctrl+C for a command that was typed, but only while the shell reports that command as running. Repeats it up to
 * CANCEL_TRIES times, since the shell may have to start the command first. A program that got the command as its input
 * is left alone, since somebody else started that program.
 */
export async function interrupt(
  parts: RunParts,
  request: RunRequest,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const { id, runId } = request;
  const watch = new ShellWatch(parts.commands, id, signal);
  try {
    for (let attempt = 1; !progress.isDone && attempt <= CANCEL_TRIES; ) {
      const { running } = parts.commands.shellStatus(id);
      // A shell may have reported a command without having started it yet. Ctrl+C then reaches the shell, and is lost.
      if (running?.runId === runId) {
        const once = `${runId}:${id}:cancel-${attempt++}`;
        await interruptOwn(parts, request, once);
      }
      const hasChanged = await watch.changed(CANCEL_LOOK_MS);
      if (!hasChanged && parts.commands.shellStatus(id).running?.runId !== runId) return;
    }
  } catch (error) {
    if (!isGone(error) && !signal.aborted) throw error;
  } finally {
    watch.close();
  }
}
