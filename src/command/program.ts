import { Command } from 'commander';
import { VERSION } from '../contract/version.js';
import type { Context } from './context.js';
import { innerOf } from './help-words.js';
import { refuseEmptyNames } from './naming.js';
import { EXAMPLES, EXIT_STATUS, SERVING, TARGETS } from './pages/texts.js';
import { ALIASES, VERBS } from './verbs.js';

/** Columns that an example gets before its explanation. */
const EXAMPLE_WIDTH = 52;

const EPILOG = `
${TARGETS}
Exit codes: ${EXIT_STATUS}

${EXAMPLES.map(([line, what]) => `  ${line.padEnd(EXAMPLE_WIDTH)} ${what}`).join('\n')}

${SERVING}
`;

/** Returns the command with these verbs; all of them for help and completion. */
export async function createProgram(context: Context, only?: string): Promise<Command> {
  const program = new Command('auto-terminal')
    .description('Runs and drives fleets of terminals')
    .version(VERSION, '-V, --version')
    .addHelpText('after', EPILOG)
    .enablePositionalOptions()
    .hook('preAction', (_program, action) => refuseEmptyNames(action))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
      // The caller reports errors, as JSON if that is wanted.
      outputError: () => undefined,
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

/** Returns the words that name the verb of these arguments, as far as there is such a verb. */
export function helpLine(program: Command, args: readonly string[]): string {
  const words = [program.name()];
  let command = program;
  for (const arg of args) {
    if (arg === 'help') continue;
    const inner = innerOf(command, arg);
    if (!inner) break;
    words.push(inner.name());
    command = inner;
  }
  return words.join(' ');
}

/** Commander hands settings only to commands that it makes itself. */
function inherit(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent);
  for (const inner of command.commands) inherit(inner, command);
}
