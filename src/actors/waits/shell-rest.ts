import { SHELL_READY_MS, TYPE_AHEAD_MS } from '../../contract/limits.js';
import type { Commands, Standing } from '../commands/commands.js';
import type { Terminals } from '../terminals.js';
import type { ShellWatch } from './shell-watch.js';
import type { Pending, Submissions } from './submissions.js';

export interface ShellParts {
  terminals: Pick<Terminals, 'startOf'>;
  commands: Pick<Commands, 'standing' | 'follow'>;
  submissions: Submissions;
}

/** How a terminal's shell stands, and what it has been given that it has not taken yet. */
export interface ShellState extends Standing {
  pending: Pending;
}

/** Throws terminal-not-found. */
export function shellState({ terminals, commands, submissions }: ShellParts, id: string): ShellState {
  const standing = commands.standing(id);
  const { submittedAt } = terminals.startOf(id);
  return { ...standing, pending: submissions.pending(id, { submittedAt, promptAt: standing.promptAt }) };
}

/** Whether the shell waits for input, and for nothing else. */
export function isAtRest({ isReady, atPrompt, pending }: ShellState): boolean {
  return isReady && atPrompt && pending === 'none';
}

/**
 * Resolves with the state of an integrated shell for which `isSo` holds, asked now and after each change; with
 * undefined as soon as the shell turns out not to be integrated. Rejects as {@link ShellWatch.changed} does.
 */
export async function untilShell(
  parts: ShellParts,
  id: string,
  watch: ShellWatch,
  isSo: (state: ShellState) => boolean,
): Promise<ShellState | undefined> {
  for (;;) {
    const state = shellState(parts, id);
    if (state.integration === 'none') return undefined;
    if (isSo(state)) return state;
    const hasChanged = await watch.changed(patienceFor(state, parts.terminals.startOf(id).meta.createdAt));
    if (!hasChanged && state.atPrompt && state.pending === 'maybe') parts.submissions.settle(id);
  }
}

/** How long something is waited for that may not come; undefined where it will. */
function patienceFor({ isReady, atPrompt, pending }: ShellState, createdAt: number): number | undefined {
  // A shell that has told nothing by then is not integrated after all.
  if (!isReady) return Math.max(TYPE_AHEAD_MS, createdAt + SHELL_READY_MS - Date.now());
  return atPrompt && pending === 'maybe' ? TYPE_AHEAD_MS : undefined;
}
