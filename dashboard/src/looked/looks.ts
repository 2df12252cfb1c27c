import type { Command, TerminalView } from '../../../src/client/browser.js';

/** When somebody has looked at a terminal last. */
export interface Look {
  /** Epoch milliseconds. */
  at: number;
  /** Nobody has looked at it in this browser; `at` is when the dashboard was first opened here. */
  isNone?: true;
  /** Where its output ended then; absent if that was not learned. */
  cursor?: string;
}

/** What this browser knows of who has looked at what. */
export interface Looks {
  /** When the dashboard was first opened here: what is older is no news. */
  begun: number;
  /** By the id of the terminal. */
  of: Readonly<Record<string, Look>>;
}

/** Returns when somebody last looked at a terminal; if nobody has, the time since which everything counts as new. */
export function lookOf({ begun, of }: Looks, id: string): Look {
  return of[id] ?? { at: begun, isNone: true };
}

/** Returns when something has last happened that a person may have waited for; 0 if nothing has. */
function happenedAt({ status, exitedAt, agentStatus, agentSince, command }: TerminalView): number {
  const exit = status === 'exited' ? (exitedAt ?? 0) : 0;
  // An agent that works on is no news: it has stopped, or it asks.
  const agent = agentStatus === 'waiting' || agentStatus === 'idle' ? (agentSince ?? 0) : 0;
  return Math.max(exit, agent, command?.endedAt ?? 0);
}

/** Whether something has happened in the terminal since somebody looked at it. */
export function isNews(terminal: TerminalView, looks: Looks): boolean {
  return happenedAt(terminal) > lookOf(looks, terminal.id).at;
}

/** Returns the looks with a new one; the cursor of the one before stays until another is learned. */
export function withLook(looks: Looks, id: string, look: Look): Looks {
  return { ...looks, of: { ...looks.of, [id]: { ...looks.of[id], ...look } } };
}

/** Forgets looks at terminals that are gone, and returns the same object if there are none. */
export function withoutGone(looks: Looks, isPresent: (id: string) => boolean): Looks {
  const kept = Object.entries(looks.of).filter(([id]) => isPresent(id));
  return kept.length === Object.keys(looks.of).length ? looks : { ...looks, of: Object.fromEntries(kept) };
}

/** Says in words what has happened in a terminal between two moments, what is most urgent first. */
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
