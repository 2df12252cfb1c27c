import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { ConfigError } from './config-error.js';

const STDERR = 2;

/** Levels of the log, from all lines to none. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const DEFAULT_LEVEL = 'info';

/**
 * Creates a logger to stderr: readable text on a terminal, JSON otherwise. `AUTO_TERMINAL_LOG_LEVEL` sets the level.
 * Throws ConfigError for a level that does not exist.
 */
export function createLogger(env: NodeJS.ProcessEnv): Logger {
  return pino(
    { level: levelOf(env) },
    process.stderr.isTTY
      ? pretty({ destination: STDERR, sync: true })
      : pino.destination({ dest: STDERR, sync: true }),
  );
}

function levelOf({ AUTO_TERMINAL_LOG_LEVEL: text }: NodeJS.ProcessEnv): string {
  // Shells and compose files unset a variable by leaving it empty.
  const level = text || DEFAULT_LEVEL;
  if (LEVELS.some((known) => known === level)) return level;
  throw new ConfigError(
    `AUTO_TERMINAL_LOG_LEVEL: must be one of ${LEVELS.join(', ')}, not ${JSON.stringify(level)}`,
  );
}
