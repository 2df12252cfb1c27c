import { TYPE_AHEAD_MS } from '../../contract/limits.js';
import type { Commands } from '../commands/commands.js';
import type { ShellStatus } from '../commands/shell-status.js';
import type { Terminals } from '../terminals.js';
import { untilAsleep, untilReported } from './quiet.js';
import { type Scope, within } from './scope.js';
import type { ShellWatch } from './shell-watch.js';
import { type SilentShellParts, untilSilent } from './silent-shell.js';
import type { Pending, Submissions } from './submissions.js';

/** Sources for the state of a shell. */
interface StateParts {
  terminals: Pick<Terminals, 'startOf'>;
  commands: Pick<Commands, 'shellStatus'>;
  submissions: Submissions;
}

export interface ShellParts extends StateParts, SilentShellParts {
  terminals: SilentShellParts['terminals'];
  commands: Pick<Commands, 'shellStatus' | 'follow' | 'markSilent'>;
}

/** State of a terminal's shell, and of input sent to it that it has not taken yet. */
export interface ShellState extends ShellStatus {
  pending: Pending;
}

/** Returns the present state of a shell. Throws terminal-not-found. */
export function shellState({ terminals, commands, submissions }: StateParts, id: string): ShellState {
  const status = commands.shellStatus(id);
  const { submittedAt } = terminals.startOf(id);
  return { pending: submissions.pending(id, { submittedAt, promptAt: status.promptAt }), ...status };
}

/** Returns whether the shell waits for input and has nothing pending. */
export function isAtRest({ isReady, atPrompt, pending }: ShellState): boolean {
  return isReady && atPrompt && pending === 'none';
}

/**
 * Resolves with the first state of an integrated shell for which `isSo` holds, checked at once and after each change;
 * with undefined as soon as the shell turns out not to be integrated. Rejects like {@link ShellWatch.changed}.
 */
export async function untilShell(
  parts: ShellParts,
  id: string,
  watch: ShellWatch,
  isSo: (state: ShellState) => boolean,
  scope: Pick<Scope, 'signal' | 'leftMs'>,
): Promise<ShellState | undefined> {
  for (;;) {
    const state = shellState(parts, id);
    if (state.integration === 'none') return undefined;
    if (isSo(state)) return state;
    const hasChanged = state.isReady
      ? await watch.changed(patienceFor(state))
      : await changedOrSilent(parts, id, watch, scope);
    if (hasChanged || !state.atPrompt || state.pending !== 'maybe') continue;
    if (!(await changedBeforeRead(parts, id, watch, scope))) parts.submissions.settle(id);
  }
}

/** Resolves with true if a change comes first; with false once the shell has read everything typed and reported on it. */
function changedBeforeRead(
  parts: ShellParts,
  id: string,
  watch: ShellWatch,
  { signal, leftMs }: Pick<Scope, 'signal' | 'leftMs'>,
): Promise<boolean> {
  return within(signal, (inner) => {
    const read = untilAsleep(parts, id, inner).then(() =>
      untilReported(parts, id, { signal: inner, leftMs }),
    );
    return Promise.race([watch.changed(), read.then(() => false)]);
  });
}

/** Resolves with true if a shell that may still be starting changes, with false once it counts as silent. */
function changedOrSilent(
  parts: ShellParts,
  id: string,
  watch: ShellWatch,
  { signal, leftMs }: Pick<Scope, 'signal' | 'leftMs'>,
): Promise<boolean> {
  return within(signal, (inner) =>
    Promise.race([watch.changed(), untilSilent(parts, id, { signal: inner, leftMs }).then(() => false)]),
  );
}

/** Returns how many milliseconds to wait for a change that may not come; undefined for a change that will come. */
function patienceFor({ atPrompt, pending }: ShellState): number | undefined {
  return atPrompt && pending === 'maybe' ? TYPE_AHEAD_MS : undefined;
}
