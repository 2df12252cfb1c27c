import { type Command, CommanderError } from 'commander';

/**
 * Returns the arguments with `help VERB` as `VERB --help`, at any depth. Throws Commander's error for an unknown verb: by
 * itself Commander shows the help of all verbs, without a word on the wrong one.
 */
export function withHelpOption(program: Command, args: readonly string[]): readonly string[] {
  let command = program;
  for (const [index, arg] of args.entries()) {
    if (arg === 'help' && command.commands.length > 0)
      return [...args.slice(0, index), ...verbsIn(command, args.slice(index + 1)), '--help'];
    const inner = innerOf(command, arg);
    if (!inner) return args;
    command = inner;
  }
  return args;
}

/** Returns the words that name a verb: neither its arguments, with which it would run, nor what follows an option. */
function verbsIn(program: Command, args: readonly string[]): string[] {
  const end = args.findIndex((arg) => arg.startsWith('-'));
  const words = (end === -1 ? args : args.slice(0, end)).filter((word) => word !== 'help');
  let command = program;
  for (const [index, word] of words.entries()) {
    // Behind a verb without verbs of its own stand its arguments.
    if (command !== program && command.commands.length === 0) return words.slice(0, index);
    const inner = innerOf(command, word);
    if (!inner) throw new CommanderError(2, 'commander.unknownCommand', `error: unknown command '${word}'`);
    command = inner;
  }
  return words;
}

/** Returns the verb of this name or alias. */
export function innerOf(command: Command, word: string): Command | undefined {
  return command.commands.find((child) => child.name() === word || child.aliases().includes(word));
}
