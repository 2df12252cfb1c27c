// The command line: one verb, its output, and an exit code.
import { setMaxListeners } from 'node:events';
import { CommanderError } from 'commander';
import { ApiError, AutoTerminalError } from '../client/index.js';
import { Context } from './context.js';
import { EXIT, exitCodeOf } from './exit-codes.js';
import { createProgram } from './program.js';

const INTERRUPTED = 130;

const args = process.argv.slice(2);
const interrupted = new AbortController();
// Every request of a command listens for it.
setMaxListeners(0, interrupted.signal);
process.once('SIGINT', () => interrupted.abort());
const { stdin, stdout, stderr, env } = process;
const context = new Context({ stdin, stdout, stderr, env, signal: interrupted.signal });
// A reader that has seen enough, such as `head`, is no failure.
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : EXIT.failed));

try {
  const program = await createProgram(context, args[0]);
  await program.parseAsync(args, { from: 'user' });
  process.exitCode = context.exitCode;
} catch (error) {
  process.exitCode = report(error);
} finally {
  context.close();
}

/** Says what failed, and returns the exit code. */
function report(error: unknown): number {
  if (interrupted.signal.aborted) return INTERRUPTED;
  // Commander has written its message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
  if (!(error instanceof AutoTerminalError)) throw error;
  const { message, code, fix } = error;
  if (
    args.some(
      (arg, index) =>
        /^(--output=|-o)?(json|ndjson)$/.test(arg) && /^(-o|--output)/.test(args[index - 1] ?? arg),
    )
  ) {
    const requestId = error instanceof ApiError ? error.requestId : undefined;
    const transient = exitCodeOf(error) === EXIT.tryAgain;
    stderr.write(`${JSON.stringify({ error: message, code, fix, transient, requestId })}\n`);
  } else {
    stderr.write(`auto-terminal: ${message}\n${fix === undefined ? '' : `${fix}\n`}`);
  }
  return exitCodeOf(error);
}
