import { childrenOf } from '../processes/descendants.js';
import type { Session } from '../processes/killer.js';
import { signal } from './freezer.js';

interface ServerDeps {
  startedAt(pid: number): string | null;
  /** Ends the processes of a session. */
  kill(session: Session): void;
}

/**
 * Kills a tmux server, and hands its programs to the killer: they may ignore the end of their terminals, and the programs
 * that the server has started without reporting them are known nowhere else.
 */
export function killServer(server: number, { startedAt, kill }: ServerDeps): void {
  // Stopped first, so that it starts no program that is not listed.
  signal(server, 'SIGSTOP');
  const programs: Session[] = childrenOf(server).map((leader) => ({ leader, startedAt: startedAt(leader) }));
  signal(server, 'SIGKILL');
  for (const program of programs) kill(program);
}
