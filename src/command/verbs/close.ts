import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { inEach } from '../each.js';
import { CommandError } from '../exit-codes.js';
import {
  ALL,
  manyTargets,
  NO_MATCH,
  oneTarget,
  SELECTOR,
  TARGET_HELP,
  type TargetOptions,
} from '../targets.js';
import { verb, wholeNumber } from '../verb.js';
import { pairsOf } from './new.js';

/** `auto-terminal close`: closes terminals with everything that runs in them. */
export function close(context: Context): Command {
  return verb('close', 'Close terminals, with everything that runs in them')
    .argument('[targets...]', TARGET_HELP)
    .addOption(SELECTOR)
    .addOption(ALL)
    .action(async (targets: string[], options: CommonOptions & TargetOptions) => {
      const client = context.client(options);
      const ids = await manyTargets(context, client, targets, options).catch((error: unknown) => {
        // With --all and with an empty list of ids, no terminals means that nothing is left to close.
        const mayBeNone = options.all || targets.includes('-');
        if (mayBeNone && error instanceof CommandError && error.code === NO_MATCH) return [];
        throw error;
      });
      await closeEach(context, options, ids);
    });
}

/** Closes these terminals. */
export function closeEach(context: Context, options: CommonOptions, ids: readonly string[]): Promise<void> {
  const { terminals } = context.client(options);
  return inEach(context, ids, 'closed', (id) => terminals.get(id).close({ signal: context.signal }));
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
      const labels = labelsOfWords(words);
      const client = context.client(options);
      const { id } = await oneTarget(context, client, target);
      await client.terminals.get(id).update({ labels }, { signal: context.signal });
    });
}

/** Returns the labels that words such as `name=value` set and `name-` remove (null). */
export function labelsOfWords(words: readonly string[]): Record<string, string | null> {
  const isRemoval = (word: string) => word.length > 1 && word.endsWith('-') && !word.includes('=');
  const removed = words.filter(isRemoval).map((word) => [word.slice(0, -1), null] as const);
  const set = pairsOf(
    words.filter((word) => !isRemoval(word)),
    'A label',
  );
  return { ...Object.fromEntries(removed), ...set };
}

/** `auto-terminal resize`. */
export function resize(context: Context): Command {
  return verb('resize', 'Set the size of a terminal')
    .argument('<target>', TARGET_HELP)
    .argument('<columns>', 'number of columns', wholeNumber)
    .argument('<rows>', 'number of rows', wholeNumber)
    .action(async (target: string, cols: number, rows: number, options: CommonOptions) => {
      const client = context.client(options);
      const { id } = await oneTarget(context, client, target, { mustRun: true });
      await client.terminals.get(id).resize({ cols, rows }, { signal: context.signal });
    });
}
