import { Command } from 'commander';
import { VERSION } from '../contract/version.js';
import type { Context } from './context.js';
import { ALIASES, VERBS } from './verbs.js';

const EPILOG = `
Targets are ids, beginnings of ids, names, "me" (the terminal of the caller), or "-" (ids from standard input).
Exit codes: 0 done, 1 failed, 2 wrong arguments, 3 not found, 4 denied, 5 conflict, 7 no service, 75 try again,
124 timed out. run, exec and batch run end with the code of the command: 128+n if a signal ended it, 125 if it could not
be run.

  auto-terminal new -l role=test             a terminal with your shell
  auto-terminal run -- make test             a program, its output, and its exit code
  auto-terminal batch run -l role=test -- git pull
  auto-terminal ls                           who does what
  auto-terminal attach NAME                  into a terminal; ctrl+\\ d leaves it

auto-terminal serve starts the service here, and auto-terminal mcp the tool server alone; each lists its options by
--help. Without a verb, the service starts.
`;

/** Returns the command with these verbs; all of them for help and completion. */
export async function createProgram(context: Context, only?: string): Promise<Command> {
  const program = new Command('auto-terminal')
    .description('Runs and drives fleets of terminals')
    .version(VERSION, '-V, --version')
    .addHelpText('after', EPILOG)
    .enablePositionalOptions()
    .showHelpAfterError('(--help lists what is possible)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
    });
  const wanted = only === undefined ? undefined : (ALIASES[only] ?? only);
  const names = wanted !== undefined && Object.hasOwn(VERBS, wanted) ? [wanted] : Object.keys(VERBS);
  for (const name of names) {
    const verb = await VERBS[name]?.(context);
    if (!verb) continue;
    inherit(verb, program);
    program.addCommand(verb);
  }
  // Completion reads the tree of all verbs.
  if (names.length > 1) {
    const { completion } = await import('./verbs/completion.js');
    const verb = completion(context, program);
    inherit(verb, program);
    program.addCommand(verb);
  }
  return program;
}

/** Commander hands settings only to commands that it makes itself. */
function inherit(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent);
  for (const inner of command.commands) inherit(inner, command);
}
