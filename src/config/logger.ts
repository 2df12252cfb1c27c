import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

const STDERR = 2;

/** Logs to stderr: for readers on a terminal, as JSON otherwise. `AUTO_TERMINAL_LOG_LEVEL` is the level. */
export function createLogger(env: NodeJS.ProcessEnv): Logger {
  return pino(
    { level: env.AUTO_TERMINAL_LOG_LEVEL ?? 'info' },
    process.stderr.isTTY
      ? pretty({ destination: STDERR, sync: true })
      : pino.destination({ dest: STDERR, sync: true }),
  );
}
