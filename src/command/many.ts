import type { Command } from 'commander';
import type { CommonOptions, Context } from './context.js';
import { ALL, manyTargets, SELECTOR, type TargetOptions } from './targets.js';
import { collect } from './verb.js';

/** Options that name the terminals of a verb whose arguments are something else. */
export type ManyOptions = CommonOptions & TargetOptions & { target?: string[] };

/** Adds these options. */
export function withMany(command: Command): Command {
  return command
    .addOption(SELECTOR)
    .addOption(ALL)
    .option('--target <target>', 'a terminal; may be repeated', collect);
}

/** Resolves with the ids of the running terminals that the options name. */
export function manyOf(context: Context, options: ManyOptions): Promise<string[]> {
  const { target = [] } = options;
  return manyTargets(context, context.client(options), target, options, { mustRun: true });
}
