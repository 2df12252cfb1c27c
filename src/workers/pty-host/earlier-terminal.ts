import type { HostTerminal } from '../../contract/host-protocol.js';
import type { ExitStatus } from '../../contract/terminal.js';
import type { LeftSession } from './ledger/session-record.js';
import type { EarlierLog, KeptLog } from './log/terminal-log.js';
import type { KeptPty } from './pty/pty-port.js';
import type { TypedPart } from './wire/typing.js';

/** State of a terminal at a host that was killed or has been renewed. */
export interface EarlierTerminal extends LeftSession {
  exit: ExitStatus | null;
  log: EarlierLog;
  /** Position up to which its reader had taken the output in. */
  confirmed: number;
  /** Input that was accepted and not written yet. */
  input: readonly TypedPart[];
}

/** A terminal as the program that renews the host hands it to itself. */
export interface KeptTerminal extends Omit<HostTerminal, 'position' | 'pendingInput'> {
  confirmed: number;
  session: LeftSession;
  pty: KeptPty;
  log: KeptLog;
  input: readonly TypedPart[];
}
