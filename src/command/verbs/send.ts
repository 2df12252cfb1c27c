import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { BatchAnswer } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { ALL, manyTargets, oneTarget, SELECTOR, TARGET_HELP, type TargetOptions } from '../targets.js';
import { verb } from '../verb.js';

type Options = CommonOptions & TargetOptions & { enter?: boolean; type?: string };

/** `auto-terminal send`: types text into terminals. */
export function send(context: Context): Command {
  return verb('send', 'Type text into terminals; "-" as text reads standard input')
    .argument('[target]', TARGET_HELP)
    .argument('[text]', 'text to type')
    .addOption(SELECTOR)
    .addOption(ALL)
    .option('--enter', 'press Enter after the text')
    .action(async (first: string | undefined, second: string | undefined, options: Options) => {
      const [targets, typed] = splitText(first, second, options);
      const data = typed === '-' ? await text(context.stdin) : typed;
      const client = context.client(options);
      const ids = await manyTargets(context, client, targets, options);
      const call = { signal: context.signal };
      report(context, await client.select(ids).type(options.enter ? `${data}\r` : data, call));
    });
}

/** `auto-terminal prompt`: gives a prompt to the programs in terminals. */
export function prompt(context: Context): Command {
  return verb('prompt', 'Paste a prompt for a program such as a coding agent, and submit it')
    .argument('[target]', TARGET_HELP)
    .argument('[text]', 'the prompt; "-" reads standard input')
    .addOption(SELECTOR)
    .addOption(ALL)
    .option('--type <cli-type>', 'how the program takes a prompt: agent_a, default (a shell), ...')
    .action(async (first: string | undefined, second: string | undefined, options: Options) => {
      const [targets, typed] = splitText(first, second, options);
      const words = typed === '-' ? await text(context.stdin) : typed;
      const client = context.client(options);
      const ids = await manyTargets(context, client, targets, options);
      const call = { cliType: options.type, signal: context.signal };
      report(context, await client.select(ids).prompt(words, call));
    });
}

/** `auto-terminal keys`: presses keys in a terminal. */
export function keys(context: Context): Command {
  return verb('keys', 'Press keys by their names')
    .argument('<target>', TARGET_HELP)
    .argument('<keys...>', 'such as enter, up, ctrl+c, alt+x, f5')
    .action(async (target: string, names: string[], options: CommonOptions) => {
      const client = context.client(options);
      const { id } = await oneTarget(context, client, target);
      await client.terminals.get(id).keys(names, { signal: context.signal });
    });
}

/** With -l or --all, the only argument is the text. */
function splitText(
  first: string | undefined,
  second: string | undefined,
  { selector, all }: Options,
): [string[], string] {
  if (selector !== undefined || all) return [[], second ?? first ?? '-'];
  return [first === undefined ? [] : [first], second ?? '-'];
}

function report(context: Context, { results, summary }: BatchAnswer): void {
  for (const { terminalId, success, error } of results)
    if (!success) context.say(`auto-terminal: ${terminalId}: ${error ?? 'failed'}`);
  if (summary.failed > 0) context.exitCode = EXIT.failed;
}
