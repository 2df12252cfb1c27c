import type { Command } from 'commander';
import { type AttachedClient, type AutoTerminal, NotFoundError } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { ageOf, type Column, type FormatOptions, OUTPUT, printRows, QUIET } from '../format.js';
import { oneTarget, TARGET_HELP } from '../targets.js';
import { verb } from '../verb.js';

const TERMINAL: Column<AttachedClient> = { title: 'TERMINAL', value: ({ terminalId }) => terminalId };
const COLUMNS: readonly Column<AttachedClient>[] = [
  { title: 'CLIENT', value: ({ clientId }) => clientId },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'SIZE', value: ({ cols, rows }) => `${cols}x${rows}` },
  { title: 'ROLE', value: ({ isLeader, readOnly }) => (isLeader ? 'leads' : readOnly ? 'reads' : '') },
  { title: 'ATTACHED', value: ({ attachedAt }) => ageOf(attachedAt) },
  { title: 'TYPED', value: ({ typedAt }) => (typedAt === null ? 'never' : `${ageOf(typedAt)} ago`) },
];

/** `auto-terminal clients`: the clients that are attached to a terminal, or to all terminals. */
export function clients(context: Context): Command {
  return verb('clients', 'List who is attached to a terminal, or to all terminals')
    .argument('[target]', TARGET_HELP)
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (target: string | undefined, options: CommonOptions & FormatOptions) => {
      const client = context.client(options);
      const ids =
        target === undefined
          ? await attachedTo(context, client)
          : [(await oneTarget(context, client, target)).id];
      const found = await Promise.all(ids.map((id) => clientsOf(context, client, id, target !== undefined)));
      await printRows(context, found.flat(), options, {
        columns: target === undefined ? [TERMINAL, ...COLUMNS] : COLUMNS,
        id: ({ clientId }) => clientId,
        name: 'clients',
      });
    });
}

/** Resolves with the terminals that have attached clients, which one list shows for all. */
async function attachedTo(context: Context, client: AutoTerminal): Promise<string[]> {
  const ids = [];
  for await (const view of client.terminals.views({ signal: context.signal }))
    if (view.clients > 0) ids.push(view.id);
  return ids;
}

async function clientsOf(
  context: Context,
  client: AutoTerminal,
  id: string,
  isNamed: boolean,
): Promise<AttachedClient[]> {
  try {
    return await client.terminals.get(id).clients({ signal: context.signal });
  } catch (error) {
    // Without a name, the ids come from a list, and a terminal may have been closed since the list was made.
    if (isNamed || !(error instanceof NotFoundError)) throw error;
    return [];
  }
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
