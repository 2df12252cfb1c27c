import { constants } from 'node:os';
import type { ExitStatus } from '../../../contract/terminal.js';
import type { ProgramEnd } from './pty-port.js';

/** Returns the status of a program that has just ended, or, for null, of one whose terminal tmux has lost. */
export function exitStatusOf(how: ProgramEnd | null): ExitStatus {
  const exitedAt = Date.now();
  if (!how) return { exitCode: null, signal: null, exitedAt, reason: 'tmux-lost' };
  return how.signal > 0
    ? { exitCode: null, signal: signalName(how.signal), exitedAt }
    : { exitCode: how.exitCode, signal: null, exitedAt };
}

function signalName(signal: number): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === signal);
  return found ? found[0] : `SIG${signal}`;
}
