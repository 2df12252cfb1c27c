import { SILENT_SHELL_MS, SILENT_SHELL_QUIET_MS } from '../../contract/limits.js';
import type { Commands } from '../commands/commands.js';
import type { Foreground } from '../processes/foreground.js';
import { programName } from '../runs/posix-shell.js';
import { type QuietParts, untilForeground, untilIdle } from './quiet.js';
import { pause, type Scope } from './scope.js';
import { throughShardDeaths } from './shard-deaths.js';

export interface SilentShellParts extends QuietParts {
  commands: Pick<Commands, 'standing' | 'markSilent'>;
  foreground: Pick<Foreground, 'rests' | 'holder'>;
}

/**
 * Resolves once a shell that has reported no prompt asks for input all the same, after marking it as silent. Its
 * processes decide, no clock: a shell that works, waits for what its startup files run, or sleeps there is starting.
 * Rejects with terminal-not-found and the signal's reason.
 */
export async function untilSilent(
  parts: SilentShellParts,
  id: string,
  scope: Pick<Scope, 'signal' | 'leftMs'>,
): Promise<void> {
  for (;;) {
    const waitedBy = await untilForeground(parts, id, SILENT_SHELL_MS, scope);
    // Nothing is known of its processes.
    if (waitedBy === 'idle') await untilIdle(parts, id, SILENT_SHELL_QUIET_MS, scope);
    if (waitedBy === 'idle' || (await asksForInput(parts, id, scope.signal))) break;
    await pause(SILENT_SHELL_MS, scope.signal);
  }
  parts.commands.markSilent(id);
}

/** Line editors have pastes marked; a program in place of the shell is none that reports prompts. */
async function asksForInput(
  { terminals, screens, foreground }: SilentShellParts,
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { modes } = await throughShardDeaths(signal, () => screens.look(id));
  if (modes.bracketedPaste) return true;
  const { pid, meta } = terminals.startOf(id);
  const holder = await foreground.holder(pid);
  return holder.who === 'own' && programName(holder.argv[0] ?? '') !== meta.marks.shell;
}
