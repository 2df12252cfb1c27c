import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CALL_DEADLINE_MS } from '../../../contract/limits.js';
import { answers } from '../wire/listen.js';
import { HostUnreachable } from './host-errors.js';

const run = promisify(execFile);

/** systemd counts the unit as started before its process listens. */
const POLL_MS = 50;

/**
 * Has the systemd manager of this user start the unit of the pty host. Resolves with true once a host listens on the
 * socket, and with false when the unit has ended without one, or has taken too long. Rejects with HostUnreachable if
 * systemd does not start the unit.
 */
export async function startHostUnit(unit: string, socketPath: string): Promise<boolean> {
  try {
    await run('systemctl', ['--user', 'start', unit], { timeout: CALL_DEADLINE_MS });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new HostUnreachable(`systemd does not start ${unit}: ${stderr.trim() || message}`, {
      cause: error,
    });
  }
  const deadline = AbortSignal.timeout(CALL_DEADLINE_MS);
  while (!deadline.aborted) {
    const isActive = await run('systemctl', ['--user', 'is-active', '--quiet', unit]).then(
      () => true,
      () => false,
    );
    // Asked last: another host, which makes this one end, counts as well.
    if (await answers(socketPath)) return true;
    if (!isActive) return false;
    await delay(POLL_MS);
  }
  return false;
}
