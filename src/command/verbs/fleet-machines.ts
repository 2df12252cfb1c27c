import type { Command } from 'commander';
import type { AutoTerminal, ReachedMachine } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { inEach } from '../each.js';
import { CommandError, EXIT, usageError } from '../exit-codes.js';
import { type Column, type FormatOptions, OUTPUT, printRows, QUIET } from '../format.js';
import { verb } from '../verb.js';

const MACHINES: readonly Column<ReachedMachine>[] = [
  { title: 'ID', value: ({ machineId }) => machineId },
  { title: 'NAME', value: ({ deviceName }) => deviceName },
  { title: 'OS', value: ({ os }) => os },
  { title: 'STATE', value: ({ online }) => (online ? 'online' : 'offline') },
  { title: 'TERMINALS', value: ({ terminals }) => (terminals === undefined ? '' : String(terminals)) },
  { title: 'LAST SEEN', value: ({ lastSeenAt }) => (lastSeenAt ? new Date(lastSeenAt).toISOString() : '') },
  { title: 'RIGHTS', value: ({ rights }) => rightsText(rights) },
  { title: 'VERSION', value: ({ version }) => version ?? '', wide: true },
];

export function machines(context: Context): Command {
  return verb('machines', 'List the machines of the fleet')
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (options: CommonOptions & FormatOptions) => {
      const rows = await context.client(options).fleetAdmin.machines({ signal: context.signal });
      await printRows(context, rows, options, {
        columns: MACHINES,
        id: ({ machineId }) => machineId,
        name: 'machines',
      });
    });
}

/** Returns the rights that a machine grants to this machine, a word for each. */
function rightsText(rights: ReachedMachine['rights']): string {
  return [...new Set((rights ?? []).flatMap(({ can }) => can))].join(',');
}

export function remove(context: Context): Command {
  return verb('remove', 'Remove machines from the fleet, at its hub')
    .argument('<machines...>', 'their names or ids')
    .action(async (names: string[], options: CommonOptions) => {
      const client = context.client(options);
      await inEach(context, names, 'removed', async (name) => {
        const id = await machineNamed(context, client, name);
        await client.fleetAdmin.remove(id, { signal: context.signal });
      });
    });
}

/** Resolves with the id of another machine by its name or id. Rejects if there is none, or several. */
export async function machineNamed(context: Context, client: AutoTerminal, name: string): Promise<string> {
  const others = (await client.fleet.machines({ signal: context.signal })).filter(({ self }) => !self);
  // A machine may have any name, also the id of another.
  const byId = others.filter(({ machineId }) => machineId === name);
  const found = byId.length > 0 ? byId : others.filter(({ deviceName }) => deviceName === name);
  if (found.length > 1) throw usageError(`${name} names several machines`, 'Use the id of one of them');
  if (!found[0])
    throw new CommandError(
      EXIT.notFound,
      'machine-not-found',
      `${name} is no other machine`,
      'List them: auto-terminal fleet machines',
    );
  return found[0].machineId;
}
