import type { Command, TerminalView } from '../../../src/client/browser.js';

/** Latest look at a terminal. */
export interface Look {
  /** Epoch milliseconds. */
  at: number;
  /** Set if there was no look in this browser; `at` is the time when the dashboard was first opened here. */
  isNone?: true;
  /** Cursor at the end of its output then; absent if it could not be read. */
  cursor?: string;
}

/** Looks at terminals in this browser. */
export interface Looks {
  /** Time when the dashboard was first opened here: nothing older is news. */
  begun: number;
  /** Looks by the id of the terminal. */
  of: Readonly<Record<string, Look>>;
}

/** Returns the latest look at a terminal; without one, the time since which everything counts as new. */
export function lookOf({ begun, of }: Looks, id: string): Look {
  return of[id] ?? { at: begun, isNone: true };
}

/** Returns the time of the latest event that a person may have waited for; 0 if there was none. */
function happenedAt({ status, exitedAt, agentStatus, agentSince, command }: TerminalView): number {
  const exit = status === 'exited' ? (exitedAt ?? 0) : 0;
  // An agent that starts to work is no news; an agent that stops or asks is.
  const agent = agentStatus === 'waiting' || agentStatus === 'idle' ? (agentSince ?? 0) : 0;
  return Math.max(exit, agent, command?.endedAt ?? 0);
}

/** Whether something has happened in the terminal since the latest look at it. */
export function isNews(terminal: TerminalView, looks: Looks): boolean {
  return happenedAt(terminal) > lookOf(looks, terminal.id).at;
}

/** Returns the looks with a new look; the previous look's cursor stays until a new cursor is known. */
export function withLook(looks: Looks, id: string, look: Look): Looks {
  return { ...looks, of: { ...looks.of, [id]: { ...looks.of[id], ...look } } };
}

/** Forgets looks at terminals that are gone, and returns the same object if there are none. */
export function withoutGone(looks: Looks, isPresent: (id: string) => boolean): Looks {
  const kept = Object.entries(looks.of).filter(([id]) => isPresent(id));
  return kept.length === Object.keys(looks.of).length ? looks : { ...looks, of: Object.fromEntries(kept) };
}

/** Returns in words the events in a terminal between two moments, the most urgent first. */
export function newsOf(
  terminal: TerminalView | undefined,
  commands: readonly Command[],
  { since, until }: { since: number; until: number },
): string[] {
  const isNew = (at: number | null | undefined) => typeof at === 'number' && at > since && at <= until;
  const news: string[] = [];
  if (terminal?.status === 'exited' && isNew(terminal.exitedAt)) news.push('it has exited');
  else if (terminal?.agentStatus && isNew(terminal.agentSince)) {
    const words = { waiting: 'its agent waits', idle: 'its agent has finished', working: 'its agent works' };
    news.push(words[terminal.agentStatus]);
  }
  const ended = commands.filter(({ endedAt }) => isNew(endedAt));
  const failed = ended.filter(({ exitCode }) => exitCode !== null && exitCode !== 0).length;
  const running = commands.filter(({ endedAt, startedAt }) => endedAt === null && isNew(startedAt)).length;
  if (ended.length > 0) news.push(`${count(ended.length)} ended${failed > 0 ? `, ${failed} failed` : ''}`);
  if (running > 0) news.push(`${count(running)} began`);
  return news;
}

function count(commands: number): string {
  return commands === 1 ? '1 command' : `${commands} commands`;
}
