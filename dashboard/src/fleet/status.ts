import type { TerminalView } from '../../../src/client/browser.js';

/**
 * Status of a terminal, as a person looks for it. `running`: a program runs whose activity is unknown, since its shell
 * reports no commands.
 */
export type Status = 'waiting' | 'failed' | 'working' | 'running' | 'idle' | 'exited';

/** The statuses, most urgent first. */
export const STATUSES: readonly Status[] = ['waiting', 'failed', 'working', 'running', 'idle', 'exited'];

export function statusOf(terminal: TerminalView): Status {
  if (terminal.status === 'exited') return 'exited';
  if (terminal.agentStatus !== null) return terminal.agentStatus;
  const { command } = terminal;
  if (command === null) return terminal.integration === 'none' ? 'running' : 'idle';
  if (command.endedAt === null) return 'working';
  return command.exitCode !== null && command.exitCode !== 0 ? 'failed' : 'idle';
}

/** Returns the time since which the terminal has its status, in epoch milliseconds; undefined if it is unknown. */
export function statusSince(terminal: TerminalView): number | undefined {
  if (terminal.status === 'exited') return terminal.exitedAt;
  if (terminal.agentStatus !== null) return terminal.agentSince ?? undefined;
  const { command } = terminal;
  if (command === null) return undefined;
  return command.endedAt ?? command.startedAt;
}
