import { createHash } from 'node:crypto';
import type { Command } from '../../contract/command.js';
import type { ExitStatus } from '../../contract/terminal.js';
import type { AgentStatus } from '../../contract/wait.js';
import type { Occurrence, WaitManyResult } from '../../contract/wait-many.js';
import type { ScreenStatus } from '../../workers/shard/screen-status.js';
import type { Seen } from '../agents/agent-looks.js';
import { questionAt } from '../agents/question.js';

/** An occurrence in a terminal, with the fields that describe it. */
export type Happened = Omit<WaitManyResult, 'event'> & { event: Occurrence; id: string };

/** Facts about a terminal and its shell at one moment. */
export interface ShellFacts {
  exit: ExitStatus | null;
  /** The command that ended last; null while the shell runs a command. */
  ended: Command | null;
}

export const AGENT_OCCURRENCES: ReadonlySet<Occurrence> = new Set<AgentStatus>([
  'waiting',
  'idle',
  'working',
]);

/** Returns the first of `until` that holds for the shell or the program of a terminal and is not in `seen`. */
export function happenedInShell(
  terminalId: string,
  until: readonly Occurrence[],
  { exit, ended }: ShellFacts,
  seen: ReadonlySet<string>,
): Happened | undefined {
  const ofExit = exit && { terminalId, id: `${terminalId}.exit`, ...statusOf(exit) };
  const ofCommand = ended && { terminalId, id: `${terminalId}.${ended.id}`, command: ended };
  for (const event of until) {
    if (event === 'exited' && ofExit && !seen.has(ofExit.id)) return { event, ...ofExit };
    if (event === 'failed') {
      if (ofExit && hasFailed(exit) && !seen.has(ofExit.id)) return { event, ...ofExit };
      if (ofCommand && (ended.exitCode ?? 0) !== 0 && !seen.has(ofCommand.id)) return { event, ...ofCommand };
    }
    if (event === 'finished' && ofCommand && !seen.has(ofCommand.id)) return { event, ...ofCommand };
  }
  return undefined;
}

/** Returns the fields of an answer that say how a terminal's program has ended. */
export function statusOf({
  exitCode,
  signal,
  reason,
}: ExitStatus): Pick<WaitManyResult, 'exitCode' | 'signal' | 'reason'> {
  return { exitCode, signal, ...(reason && { reason }) };
}

/** Returns whether a program was ended by a signal or reported a failure; an end without any report counts, too. */
function hasFailed({ exitCode }: ExitStatus): boolean {
  return exitCode !== 0;
}

/**
 * Returns what a look at an agent shows; undefined if it does not show the agent's status.
 *
 * @param typedAt - time of the last input, since the same question after an answer is another occurrence
 */
export function happenedToAgent(
  terminalId: string,
  agent: string,
  { look, verdict }: Seen,
  typedAt: number | null,
): Happened | undefined {
  const { status, reason, row } = verdict;
  if (status === null) return undefined;
  const question = status !== 'waiting' ? undefined : row === null ? null : questionAt(look.rows, row);
  const shown = question ?? (status === 'working' ? '' : shownBy(look));
  const mark = createHash('sha256').update(`${agent}\n${typedAt}\n${shown}`).digest('base64url').slice(0, 16);
  return {
    terminalId,
    event: status,
    id: `${terminalId}.${status}.${mark}`,
    ...{ agent, agentStatus: status, agentStatusReason: reason },
    ...(question !== undefined && { question }),
  };
}

function shownBy({ rows, title }: ScreenStatus): string {
  return [title, ...rows].join('\n');
}
