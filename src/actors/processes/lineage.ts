import type { RunningTerminal } from '../terminal-record.js';

/** A process at one moment. Pids are used again; a pid together with its start is not. */
export interface ProcessIdentity {
  pid: number;
  /** As in the process table: orders processes by age. */
  startedAt: number;
  parent: number;
  session: number;
}

/** Returns a process as of now; null if it has ended, or where the platform does not report processes. */
export type Identify = (pid: number) => ProcessIdentity | null;

/** Processes are seldom ten levels deep; the bound ends a walk over a table that changes meanwhile. */
const MAX_LEVELS = 64;

/**
 * Returns a process, its ancestors, and the leaders of their sessions, nearest first. The session leads to the terminal
 * even if the parent of a process has ended, and the ancestors lead to it even if the process has a session of its own.
 */
export function lineageOf(pid: number, identify: Identify): ProcessIdentity[] {
  const lineage = new Map<number, ProcessIdentity>();
  let child: ProcessIdentity | undefined;
  for (let next = pid, level = 0; level < MAX_LEVELS; level++) {
    const found = identify(next);
    // An elder with a later start is another process: the parent has ended meanwhile, and its pid is in use again.
    if (!found || (child && found.startedAt > child.startedAt)) break;
    lineage.set(found.pid, found);
    if (!lineage.has(found.session)) {
      const leader = identify(found.session);
      if (leader) lineage.set(leader.pid, leader);
    }
    // The system's first process is an ancestor of every process, so it identifies no terminal.
    if (found.parent <= 1) break;
    child = found;
    next = found.parent;
  }
  return [...lineage.values()];
}

/**
 * Returns the id of the terminal that a process runs in, by the lineage that it had at some moment; null if it runs in
 * none.
 */
export function terminalIn(
  lineage: readonly ProcessIdentity[],
  terminals: readonly Pick<RunningTerminal, 'id' | 'pid' | 'backend'>[],
  identify: Identify,
): string | null {
  const nearest = (places: ReadonlyMap<number, string>) => {
    const isHere = ({ pid, startedAt }: ProcessIdentity) =>
      places.has(pid) && identify(pid)?.startedAt === startedAt;
    return places.get(lineage.find(isHere)?.pid ?? 0);
  };
  const programs = new Map(terminals.map(({ id, pid }) => [pid, id]));
  // In tmux a wrapper above the program leads the session. Finding it takes a look at each of these terminals, and is
  // needed only for processes whose parents have ended.
  const wrappers = () =>
    new Map(
      terminals.flatMap(({ id, pid, backend }) => {
        const program = backend === 'tmux' ? identify(pid) : null;
        return program ? [[program.session, id] as const] : [];
      }),
    );
  return nearest(programs) ?? nearest(wrappers()) ?? null;
}
