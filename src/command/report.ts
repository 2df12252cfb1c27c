import { CommanderError } from 'commander';
import { ApiError, AutoTerminalError, type Blame, inTheWay } from '../client/index.js';
import { ConfigError } from '../config/config-error.js';
import { adviceOn } from './advice.js';
import { EXIT, exitCodeOf } from './exit-codes.js';
import { safeLines } from './one-line.js';
import { withVerb } from './other-words.js';

/** Report of a command on a failure, and its exit code. */
export interface Report {
  /** For standard error. */
  text: string;
  exitCode: number;
}

/** Codes of Commander for help that was asked for, or printed in place of an error. */
const HELP = /^commander\.(help|helpDisplayed|version)$/;

/**
 * Returns the report on a failure: an object of JSON if the caller reads JSON, else a line on what is wrong and a line
 * on what to do. Throws an error that is a fault of the command itself.
 *
 * @param help - command line that lists what the verb takes
 */
export function reportOn(error: unknown, args: readonly string[], help: string): Report {
  if (error instanceof CommanderError) {
    if (HELP.test(error.code)) return { text: '', exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.usage };
    // Commander calls an argument of a verb a command-argument.
    const plain = error.message.replace(/^error: (command-argument )?/, '').trim();
    const message = withVerb(plain, args);
    return reported(args, { message, code: 'usage', fix: `${help} lists what is possible` }, EXIT.usage);
  }
  if (error instanceof ConfigError)
    return reported(args, { message: error.message, code: 'configuration' }, EXIT.failed);
  if (isSystemError(error)) return reported(args, { message: error.message, code: 'system' }, EXIT.failed);
  if (!(error instanceof AutoTerminalError)) throw error;
  const { message, code } = error;
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  const exitCode = exitCodeOf(error);
  const fix = adviceOn(error) ?? (exitCode === EXIT.usage ? `${help} lists what is possible` : undefined);
  const blame = isOfGate(error) ? (error.details as Blame) : undefined;
  return reported(args, { message, code, fix, requestId, blame }, exitCode);
}

interface Facts {
  message: string;
  code: string;
  fix?: string | undefined;
  requestId?: string | undefined;
  blame?: Blame | undefined;
}

function reported(
  args: readonly string[],
  { message, code, fix, requestId, blame = {} }: Facts,
  exitCode: number,
): Report {
  const transient = exitCode === EXIT.tryAgain;
  const { holder, draft, retryAfterMs } = blame;
  const blamed = { holder, draft, retryAfterMs };
  const text = wantsJson(args)
    ? JSON.stringify({ error: message, code, fix, transient, requestId, ...blamed })
    : safeLines(
        [`auto-terminal: ${message}`, inTheWay(blamed), fix].filter((line) => line !== undefined).join('\n'),
      );
  return { text: `${text}\n`, exitCode };
}

/** Returns whether the arguments ask for JSON. Arguments after `--` belong to another program. */
export function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  return own.some((arg, index) => {
    const [, attached] = /^(?:--output=|-o=?)(.+)$/.exec(arg) ?? [];
    const value = attached ?? (arg === '-o' || arg === '--output' ? own[index + 1] : undefined);
    return value === 'json' || value === 'ndjson';
  });
}

/** Returns whether the input gate refused to type: its refusals report what blocks the caller. */
function isOfGate(error: AutoTerminalError): error is ApiError {
  return error instanceof ApiError && (error.code === 'locked' || error.code === 'lease-lost');
}

/** Returns whether the system refused something, such as a file that cannot be written. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}
