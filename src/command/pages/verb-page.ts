import type { Command } from 'commander';

/** Description of a verb, for the pages that are generated from the program. */
export interface VerbPage {
  /** Words after the name of the program, such as `batch run`. */
  name: string;
  aliases: readonly string[];
  description: string;
  /** Words of the arguments, such as `<target> [text]`. */
  usage: string;
  arguments: readonly [name: string, description: string][];
  options: readonly [flags: string, description: string][];
}

/** Returns the verbs in the order of the help, with the verbs within verbs behind them. */
export function verbPages(program: Command): VerbPage[] {
  return innerOf(program).flatMap((verb) => pagesOf(verb, ''));
}

function pagesOf(verb: Command, path: string): VerbPage[] {
  const name = `${path}${verb.name()}`;
  const inner = innerOf(verb).flatMap((child) => pagesOf(child, `${name} `));
  // A verb that only holds others takes no options.
  if (verb.options.length === 0 && inner.length > 0) return inner;
  return [
    {
      name,
      aliases: verb.aliases(),
      description: verb.description(),
      usage: verb.registeredArguments
        .map((argument) => {
          const word = argument.name() + (argument.variadic ? '...' : '');
          return argument.required ? `<${word}>` : `[${word}]`;
        })
        .join(' '),
      arguments: verb.registeredArguments.map((argument) => [argument.name(), argument.description]),
      options: verb.options.map(({ flags, description, argChoices }) => [
        flags,
        argChoices ? `${description}: ${argChoices.join(', ')}` : description,
      ]),
    },
    ...inner,
  ];
}

function innerOf(command: Command): Command[] {
  return command.commands.filter((child) => child.name() !== 'help');
}
