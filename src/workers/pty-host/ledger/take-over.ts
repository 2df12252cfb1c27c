import type { HostedTerminal, TerminalDeps } from '../hosted-terminal.js';
import type { Killer } from '../processes/killer.js';
import { isRunning } from '../processes/process-tree.js';
import type { TerminalMaker } from '../terminal-maker.js';
import type { Ledger, LedgerRecord } from './ledger.js';
import { carriesId } from './left-sessions.js';

export interface TakeOverParts {
  ledger: Pick<Ledger, 'leftBy'>;
  killer: Pick<Killer, 'killLeft'>;
  maker: Pick<TerminalMaker, 'left'>;
  /** Identifies this boot of the system; see `readBootId`. */
  bootId: string;
  startedAt(pid: number): string | null;
}

/** Ends the processes that killed hosts left. Returns the terminals that clients may still see, as exited terminals. */
export function takeOver({ ledger, killer, maker, bootId, startedAt }: TakeOverParts): HostedTerminal[] {
  // A host that is still shutting down remains responsible for its own terminals. A host that has ended is gone even if
  // nobody has reaped it, as in a container whose first process reaps nobody.
  const isGone = ({ pid, startedAt: since }: LedgerRecord['host'], boot: string) =>
    boot !== bootId || !since || startedAt(pid) !== since || !isRunning(pid);
  return ledger.leftBy(isGone).flatMap(({ name, record }) => {
    const { id, session, exit } = record;
    // Without the leader's start time, its pid may be another process' by now; and no process survives a reboot.
    const hasSession = record.hasSession && record.boot === bootId && Boolean(session.startedAt);
    const kill: TerminalDeps['kill'] = (_session, done) =>
      killer.killLeft(session, done, (members) => carriesId(members, id));
    const lost = { exitCode: null, signal: null, exitedAt: Date.now(), reason: 'host-lost' } as const;
    const left = { name, session, hasSession, exit: exit ?? lost, limits: record.limits };
    const terminal = maker.left(record, left, kill);
    if (record.isListed) return [terminal];
    terminal.close();
    return [];
  });
}
