import { SILENT_SHELL_MS, SILENT_SHELL_QUIET_MS } from '../../contract/limits.js';
import { pause } from '../abortable.js';
import type { Commands } from '../commands/commands.js';
import type { Foreground } from '../processes/foreground.js';
import { programName } from '../runs/posix-shell.js';
import { type QuietParts, untilForeground, untilIdle } from './quiet.js';
import type { Scope } from './scope.js';
import { retryAcrossShardRestart } from './shard-restart.js';

export interface SilentShellParts extends QuietParts {
  commands: Pick<Commands, 'shellStatus' | 'markSilent'>;
  foreground: Pick<Foreground, 'rests' | 'holder'>;
}

/**
 * Marks a shell as silent and resolves, once it asks for input without having reported a prompt. Its processes decide,
 * not the clock: a shell that works, waits for a program of its startup files, or sleeps in them is still starting.
 * Rejects with terminal-not-found and the signal's reason.
 */
export async function untilSilent(
  parts: SilentShellParts,
  id: string,
  scope: Pick<Scope, 'signal' | 'leftMs'>,
): Promise<void> {
  for (;;) {
    const waitedBy = await untilForeground(parts, id, SILENT_SHELL_MS, scope);
    // Nothing is known of its processes, so only a longer quiet can decide.
    if (waitedBy === 'idle') await untilIdle(parts, id, SILENT_SHELL_QUIET_MS, scope);
    if (waitedBy === 'idle' || (await asksForInput(parts, id, scope.signal))) break;
    await pause(SILENT_SHELL_MS, scope.signal);
  }
  parts.commands.markSilent(id);
}

/**
 * Returns whether a line editor reads (it turns on bracketed paste), or the shell has been replaced by a program that
 * does not report prompts.
 */
async function asksForInput(
  { terminals, screens, foreground }: SilentShellParts,
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { modes } = await retryAcrossShardRestart(signal, () => screens.place(id));
  if (modes.bracketedPaste) return true;
  const { pid, meta } = terminals.startOf(id);
  const holder = await foreground.holder(pid);
  return holder.who === 'own' && programName(holder.argv[0] ?? '') !== meta.marks.shell;
}
