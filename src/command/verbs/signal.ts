import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { oneTarget, TARGET_HELP } from '../targets.js';
import { verb } from '../verb.js';

/** `auto-terminal signal`: signals the job in the foreground of a terminal. */
export function signal(context: Context): Command {
  return verb('signal', 'Send a signal to the job in the foreground of a terminal')
    .argument('<target>', TARGET_HELP)
    .argument('<signal>', 'name of the signal, with or without SIG: INT, TERM, KILL, HUP, STOP, CONT, ...')
    .action(async (target: string, name: string, options: CommonOptions) => {
      const client = context.client(options);
      const { id } = await oneTarget(context, client, target, { mustRun: true });
      await client.terminals.get(id).signal(name, { signal: context.signal });
    });
}
