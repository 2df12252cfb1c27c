// The command line: one verb, its output, and an exit code.
import { setMaxListeners } from 'node:events';
import { Context } from './context.js';
import { withHelpOption } from './help-words.js';
import { LostOutput } from './lost-output.js';
import { createProgram, helpLine } from './program.js';
import { reportOn } from './report.js';

const INTERRUPTED = 130;

const args = process.argv.slice(2);
const interrupted = new AbortController();
// Every request of a command listens for it.
setMaxListeners(0, interrupted.signal);
process.once('SIGINT', () => interrupted.abort());
const { stdin, stdout, stderr, env } = process;
// stderr may have no reader; unhandled, the error of a write would end the command with 1.
stderr.on('error', () => {});
const context = new Context({ stdin, stdout, stderr, env, signal: interrupted.signal });

const program = await createProgram(context, args[0]);
const lost = new LostOutput(context, report, process.exit);
try {
  await program.parseAsync(withHelpOption(program, args), { from: 'user' });
  await lost.none();
  process.exitCode = context.exitCode;
} catch (error) {
  await lost.none();
  process.exitCode = report(error);
} finally {
  context.close();
}

/** Prints the failure, and returns the exit code. */
function report(error: unknown): number {
  if (interrupted.signal.aborted) return INTERRUPTED;
  const { text, exitCode } = reportOn(error, args, `${helpLine(program, args)} --help`);
  stderr.write(text);
  return exitCode;
}
