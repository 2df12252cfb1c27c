import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { areLinesJson, type FormatOptions, LINES } from '../format.js';
import { verb } from '../verb.js';
import { printLines, sayIfOff } from './audit.js';
import { machineNamed } from './fleet-machines.js';

type Options = CommonOptions & FormatOptions & { follow?: boolean };

export function fleetAudit(context: Context): Command {
  return verb('audit', 'Show what other machines have done here; the setting audit.enabled keeps it')
    .argument('[machine]', 'only what this machine has done: its name or its id')
    .option('-f, --follow', 'go on with what is done from now on')
    .addOption(LINES)
    .action(async (name: string | undefined, { output, follow, ...options }: Options) => {
      const client = context.client(options);
      const machine = name === undefined ? '*' : await machineNamed(context, client, name);
      await sayIfOff(context, client);
      const entries = client.audit.lines({ machine, follow, signal: context.signal });
      await printLines(context, entries, areLinesJson(context, output));
    });
}
