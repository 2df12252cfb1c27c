import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { ALL, manyTargets, oneTarget, SELECTOR, TARGET_HELP, type TargetOptions } from '../targets.js';
import { verb } from '../verb.js';
import { pairsOf } from './new.js';

/** `auto-terminal close`: closes terminals with everything that runs in them. */
export function close(context: Context): Command {
  return verb('close', 'Close terminals, with everything that runs in them')
    .argument('[targets...]', TARGET_HELP)
    .addOption(SELECTOR)
    .addOption(ALL)
    .action(async (targets: string[], options: CommonOptions & TargetOptions) => {
      const client = context.client(options);
      const ids = await manyTargets(context, client, targets, options);
      await Promise.all(ids.map((id) => client.terminals.get(id).close({ signal: context.signal })));
    });
}

/** `auto-terminal rename`. */
export function rename(context: Context): Command {
  return verb('rename', 'Give a terminal another name')
    .argument('<target>', TARGET_HELP)
    .argument('<name>')
    .action(async (target: string, name: string, options: CommonOptions) => {
      const client = context.client(options);
      const { id } = await oneTarget(context, client, target);
      await client.terminals.get(id).update({ name }, { signal: context.signal });
    });
}

/** `auto-terminal label`. */
export function label(context: Context): Command {
  return verb('label', 'Set labels of a terminal: name=value; "name-" removes a label')
    .argument('<target>', TARGET_HELP)
    .argument('<labels...>')
    .action(async (target: string, words: string[], options: CommonOptions) => {
      const client = context.client(options);
      const { id } = await oneTarget(context, client, target);
      const isRemoval = (word: string) => word.endsWith('-') && !word.includes('=');
      const removed = words.filter(isRemoval).map((word) => [word.slice(0, -1), null] as const);
      const set = pairsOf(
        words.filter((word) => !isRemoval(word)),
        'label',
      );
      const labels = { ...Object.fromEntries(removed), ...set };
      await client.terminals.get(id).update({ labels }, { signal: context.signal });
    });
}

/** `auto-terminal resize`. */
export function resize(context: Context): Command {
  return verb('resize', 'Set the size of a terminal')
    .argument('<target>', TARGET_HELP)
    .argument('<columns>')
    .argument('<rows>')
    .action(async (target: string, cols: string, rows: string, options: CommonOptions) => {
      const client = context.client(options);
      const { id } = await oneTarget(context, client, target);
      const size = { cols: Number(cols), rows: Number(rows) };
      await client.terminals.get(id).resize(size, { signal: context.signal });
    });
}
