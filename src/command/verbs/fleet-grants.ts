import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Grant, Right } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { inEach } from '../each.js';
import { type Column, type FormatOptions, OUTPUT, printFacts, printRows, QUIET } from '../format.js';
import { SELECTOR } from '../targets.js';
import { collect, secondsOf, verb } from '../verb.js';
import { machineNamed } from './fleet-machines.js';

type Common = CommonOptions & FormatOptions;

const GRANTS: readonly Column<Grant>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'TO', value: ({ to }) => to },
  { title: 'CAN', value: ({ can }) => can.join(',') },
  { title: 'TERMINALS', value: ({ terminals }) => [terminals].flat().join(',') },
  { title: 'UNTIL', value: ({ until }) => until ?? '' },
  { title: 'ASK', value: ({ ask }) => (ask === 'never' ? '' : ask) },
];

interface GrantFlags {
  selector?: string;
  terminal?: string[];
  for?: number;
  ask?: 'first' | 'always';
}

export function grant(context: Context): Command {
  return verb('grant', 'Let another machine do something with the terminals here')
    .argument('<machine>', 'its name or its id')
    .argument('<rights>', 'of observe, type, execute, create, close, record; separated by commas', rightsOf)
    .addOption(SELECTOR)
    .option('--terminal <id>', 'only this terminal; may be repeated', collect)
    .option('--for <seconds>', 'how long', secondsOf)
    .addOption(
      new Option('--ask <when>', 'have somebody here approve its use, the first time or each time').choices([
        ...['first', 'always'],
      ]),
    )
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (machine: string, can: Right[], flags: GrantFlags & Common) => {
      const { selector, terminal, for: seconds, ask, ...options } = flags;
      const client = context.client(options);
      const to = await machineNamed(context, client, machine);
      const until = seconds === undefined ? null : new Date(Date.now() + seconds * 1_000).toISOString();
      const body = { to, can, until, ask, terminals: terminal ?? selector ?? '*' };
      const made = await client.fleetAdmin.grant(body, { signal: context.signal });
      const facts = {
        id: made.id,
        to,
        can: made.can.join(','),
        terminals: [made.terminals].flat().join(','),
      };
      await printFacts(context, facts, made, options, made.id);
    });
}

export function grants(context: Context): Command {
  return verb('grants', 'List what other machines may do here')
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (options: Common) => {
      const rows = await context.client(options).fleetAdmin.grants({ signal: context.signal });
      await printRows(context, rows, options, { columns: GRANTS, id: ({ id }) => id, name: 'grants' });
    });
}

export function revoke(context: Context): Command {
  return verb('revoke', 'Take rights back; what they no longer allow ends at once')
    .argument('<ids...>', 'ids of grants')
    .action(async (ids: string[], options: CommonOptions) => {
      const { fleetAdmin } = context.client(options);
      await inEach(context, ids, 'revoked', (id) => fleetAdmin.revoke(id, { signal: context.signal }));
    });
}

/** Parses rights that are separated by commas; the service checks that they exist. */
export function rightsOf(text: string): Right[] {
  const rights = text.split(',').map((right) => right.trim());
  if (rights.includes('')) throw new InvalidArgumentError('They are words, such as observe,type.');
  return rights as Right[];
}
