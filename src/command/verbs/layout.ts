import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { usageError } from '../exit-codes.js';
import { printJson } from '../format.js';
import { textOf } from '../input.js';
import { verb } from '../verb.js';

/** `auto-terminal layout`: the tabs and panes. */
export function layout(context: Context): Command {
  const print = async (options: CommonOptions) =>
    printJson(context, await context.client(options).layout.get({ signal: context.signal }));
  return verb('layout', 'Print tabs and panes, as JSON')
    .enablePositionalOptions()
    .action(print)
    .addCommand(verb('get', 'Print tabs and panes, as JSON, for apply').action(print))
    .addCommand(apply(context));
}

function apply(context: Context): Command {
  return verb('apply', 'Arrange tabs and panes as a layout says, and name its terminals that do not run')
    .argument('<file>', 'the JSON that layout get prints; "-" reads standard input')
    .action(async (file: string, options: CommonOptions) => {
      const tree = parsed(await textOf(context, file), file);
      const missing = await context.client(options).layout.replace(tree, { signal: context.signal });
      for (const id of missing) context.say(`auto-terminal: ${id} does not run; its pane was left out`);
    });
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const where = file === '-' ? 'Standard input' : file;
    throw usageError(`${where} is no JSON: ${(error as Error).message}`, 'Give what layout get prints');
  }
}
