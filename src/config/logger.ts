import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

const STDERR = 2;

/**
 * Creates a logger to stderr: readable text on a terminal, JSON otherwise. `AUTO_TERMINAL_LOG_LEVEL` sets the level.
 */
export function createLogger(env: NodeJS.ProcessEnv): Logger {
  return pino(
    { level: env.AUTO_TERMINAL_LOG_LEVEL ?? 'info' },
    process.stderr.isTTY
      ? pretty({ destination: STDERR, sync: true })
      : pino.destination({ dest: STDERR, sync: true }),
  );
}
