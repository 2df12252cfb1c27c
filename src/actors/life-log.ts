import type { Logger } from 'pino';
import type { EngineEvent } from './events.js';

/**
 * Returns a listener that logs when a terminal is created, exits and is removed. The lines name no command, no
 * environment and no text that a client has chosen, since any of these may hold a secret.
 */
export function lifeLog(logger: Pick<Logger, 'info'>): (event: EngineEvent) => void {
  return (event) => {
    const { id } = event;
    if (event.type === 'created') {
      const { pid, profile, mode, backend = 'pty' } = event.terminal;
      // A field `pid` would replace that of the service, which each line has.
      logger.info({ terminal: id, programPid: pid, profile, mode, backend }, 'a terminal was created');
    } else if (event.type === 'exited') {
      const { exitCode, signal, reason } = event.exit;
      logger.info({ terminal: id, exitCode, signal, reason }, 'the program of a terminal has ended');
    } else if (event.type === 'removed') {
      logger.info({ terminal: id, reason: event.reason }, 'a terminal was removed');
    }
  };
}
