import { fstatSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { MAX_LOG_QUEUE_BYTES } from '../contract/limits.js';
import { ConfigError } from './config-error.js';
import { UnreadLines } from './unread-lines.js';

const STDERR = 2;

/** Levels of the log, from all lines to none. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const DEFAULT_LEVEL = 'info';

/**
 * Creates a logger to stderr: readable text on a terminal, JSON otherwise. `AUTO_TERMINAL_LOG_LEVEL` sets the level.
 * Throws ConfigError for a level that does not exist.
 */
export function createLogger(env: NodeJS.ProcessEnv): Logger {
  return pino({ level: levelOf(env) }, stderrLines());
}

/** A line is written before the call returns wherever there is room for it, so that a crash loses none. */
function stderrLines(): DestinationStream {
  if (process.stderr.isTTY) return pretty({ destination: STDERR, sync: true });
  if (!isPipe()) {
    const lines = pino.destination({ dest: STDERR, sync: true, maxLength: MAX_LOG_QUEUE_BYTES });
    // The disk of the log may be full, which is no reason to end: what cannot be written is tried again with the next line.
    lines.on('error', () => undefined);
    return lines;
  }
  // The reader may have gone, which is no reason to end.
  process.stderr.on('error', () => undefined);
  return new UnreadLines(process.stderr, MAX_LOG_QUEUE_BYTES);
}

/** Returns whether stderr is a pipe or a socket, whose other end another process should read. */
function isPipe(): boolean {
  try {
    const stderr = fstatSync(STDERR);
    return stderr.isFIFO() || stderr.isSocket();
  } catch {
    // Stderr is closed.
    return false;
  }
}

function levelOf({ AUTO_TERMINAL_LOG_LEVEL: text }: NodeJS.ProcessEnv): string {
  // Shells and compose files unset a variable by leaving it empty.
  const level = text || DEFAULT_LEVEL;
  if (LEVELS.some((known) => known === level)) return level;
  throw new ConfigError(
    `AUTO_TERMINAL_LOG_LEVEL: must be one of ${LEVELS.join(', ')}, not ${JSON.stringify(level)}`,
  );
}
