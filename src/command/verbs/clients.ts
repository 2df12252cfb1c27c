import type { Command } from 'commander';
import type { AttachedClient } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { ageOf, type Column, type FormatOptions, OUTPUT, printRows, QUIET } from '../format.js';
import { oneTarget, TARGET_HELP } from '../targets.js';
import { verb } from '../verb.js';

const COLUMNS: readonly Column<AttachedClient>[] = [
  { title: 'CLIENT', value: ({ clientId }) => clientId },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'SIZE', value: ({ cols, rows }) => `${cols}x${rows}` },
  { title: 'ROLE', value: ({ isLeader, readOnly }) => (isLeader ? 'leads' : readOnly ? 'reads' : '') },
  { title: 'ATTACHED', value: ({ attachedAt }) => ageOf(attachedAt) },
  { title: 'TYPED', value: ({ typedAt }) => (typedAt === null ? 'never' : `${ageOf(typedAt)} ago`) },
];

/** `auto-terminal clients`: who is attached to a terminal. */
export function clients(context: Context): Command {
  return verb('clients', 'List who is attached to a terminal')
    .argument('<target>', TARGET_HELP)
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (target: string, options: CommonOptions & FormatOptions) => {
      const client = context.client(options);
      const { id } = await oneTarget(context, client, target);
      const rows = await client.terminals.get(id).clients({ signal: context.signal });
      await printRows(context, rows, options, {
        columns: COLUMNS,
        id: ({ clientId }) => clientId,
        name: 'clients',
      });
    });
}

/** `auto-terminal detach`: detaches clients of a terminal. */
export function detach(context: Context): Command {
  return verb('detach', 'Detach a client of a terminal, or all of them')
    .argument('<target>', TARGET_HELP)
    .argument('[client]', 'id of the client, as clients lists it')
    .action(async (target: string, clientId: string | undefined, options: CommonOptions) => {
      const client = context.client(options);
      const { id } = await oneTarget(context, client, target);
      await client.terminals.get(id).detach(clientId, { signal: context.signal });
    });
}
