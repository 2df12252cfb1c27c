import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { FleetAdmin, FleetStatus, JoinRequest, Right, UseRequest } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { inEach } from '../each.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { type Column, type FormatOptions, OUTPUT, printFacts, printRows, QUIET } from '../format.js';
import { oneLine } from '../one-line.js';
import { verb } from '../verb.js';
import { fleetAudit } from './fleet-audit.js';
import { fleetRun, fleetWait } from './fleet-everywhere.js';
import { grant, grants, revoke, rightsOf } from './fleet-grants.js';
import { machines, remove } from './fleet-machines.js';

type Common = CommonOptions & FormatOptions;

/** Pause between two checks whether a person has confirmed. */
const LOOK_MS = 500;

const REQUESTS: readonly Column<JoinRequest | UseRequest>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ deviceName }) => deviceName },
  { title: 'WANTS', value: wishOf },
  { title: 'MACHINE', value: ({ machineId }) => machineId, wide: true },
];

/** `auto-terminal fleet`: this machine's part in a fleet of machines. */
export function fleet(context: Context): Command {
  return verb('fleet', "Show this machine's place in a fleet of machines")
    .enablePositionalOptions()
    .addCommand(status(context), { isDefault: true })
    .addCommand(init(context))
    .addCommand(invite(context))
    .addCommand(join(context))
    .addCommand(requests(context))
    .addCommand(approve(context))
    .addCommand(deny(context))
    .addCommand(machines(context))
    .addCommand(remove(context))
    .addCommand(grant(context))
    .addCommand(grants(context))
    .addCommand(revoke(context))
    .addCommand(fleetRun(context))
    .addCommand(fleetWait(context))
    .addCommand(fleetAudit(context))
    .addCommand(leave(context));
}

/** Also the action of `auto-terminal fleet` alone. */
function status(context: Context): Command {
  return verb('status', "Show this machine's place in its fleet, and whether it is connected")
    .addOption(OUTPUT)
    .action(async (options: Common) => {
      const status = await adminOf(context, options).status({ signal: context.signal });
      const { role, link, reason, machineId, hub, joining } = status;
      const facts = {
        role,
        ...(machineId !== null && { machine: machineId }),
        ...(hub && { hub: `${hub.machineId} at ${placeOf(hub)}` }),
        link: reason === null ? link : `${link}: ${reason}`,
        ...(joining && { joining: `${joining.hub.deviceName}: ${joining.words}: ${joining.state}` }),
      };
      await printFacts(context, facts, status, options, machineId ?? '');
    });
}

function adminOf(context: Context, options: CommonOptions): FleetAdmin {
  return context.client(options).fleetAdmin;
}

function init(context: Context): Command {
  return verb('init', 'Make this machine the hub of a new fleet; needs nats-server, or the setting fleet.url')
    .option('--address <address>', 'name or address by which other machines reach this one')
    .addOption(OUTPUT)
    .action(async ({ address, ...options }: Common & { address?: string }) => {
      const status = await adminOf(context, options).init({ address }, { signal: context.signal });
      const { machineId, hub } = status;
      const facts = { machine: machineId ?? '', hub: hub ? placeOf(hub) : '' };
      await printFacts(context, facts, status, options, machineId ?? '');
    });
}

/** Returns the place where machines meet: the servers of `fleet.url`, or the hub. */
function placeOf({ url, address, port }: NonNullable<FleetStatus['hub']>): string {
  return url ?? `${address}:${port}`;
}

interface InviteFlags {
  as?: string;
  give?: Right[];
  yes?: boolean;
}

function invite(context: Context): Command {
  return verb('invite', 'Print a code with which one machine can join within ten minutes')
    .option('--as <name>', 'name of the machine in the fleet')
    .addOption(
      new Option('--give <rights>', 'rights on all terminals here, such as observe,type').argParser(rightsOf),
    )
    .option('-y, --yes', 'let it join without a person that compares the words, as for provisioning')
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async ({ as, give, yes, ...options }: InviteFlags & Common) => {
      const body = { as, give, confirmed: yes };
      const made = await adminOf(context, options).invite(body, { signal: context.signal });
      const facts = { code: made.code, until: new Date(made.expiresAt).toISOString() };
      await printFacts(context, facts, made, options, made.code);
    });
}

function join(context: Context): Command {
  return verb('join', 'Join a fleet; waits until somebody at the hub has compared the four words')
    .argument('<code>', 'what `auto-terminal fleet invite` has printed at the hub')
    .addOption(OUTPUT)
    .action(async (code: string, options: Common) => {
      const admin = adminOf(context, options);
      const { words, hub } = await admin.join(code, { signal: context.signal });
      context.say(
        `${words}\nCompare these words with those at ${oneLine(hub.deviceName)}, and confirm there.`,
      );
      for (;;) {
        const status = await admin.status({ signal: context.signal });
        if (status.role === 'member') {
          const facts = { machine: status.machineId ?? '', hub: hub.machineId };
          return printFacts(context, facts, status, options, status.machineId ?? '');
        }
        const state = status.joining?.state;
        if (state === 'denied') throw new CommandError(EXIT.denied, 'join-denied', 'The hub has refused');
        if (state !== 'waiting')
          throw new CommandError(EXIT.failed, 'join-ended', 'The invitation ended before somebody confirmed');
        await delay(LOOK_MS, undefined, { signal: context.signal });
      }
    });
}

function requests(context: Context): Command {
  return verb(
    'requests',
    'List the machines that ask to join, and what machines want to do here with approval',
  )
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (options: Common) => {
      const admin = adminOf(context, options);
      const joins = await admin.requests({ signal: context.signal });
      const rows = [...joins, ...(await admin.uses({ signal: context.signal }))];
      await printRows(context, rows, options, { columns: REQUESTS, id: ({ id }) => id, name: 'requests' });
    });
}

/** Returns the purpose of a request: the words of a machine that asks to join, else the action that it asks for. */
function wishOf(request: JoinRequest | UseRequest): string {
  if ('words' in request) return `to join: ${request.words}`;
  const { action, terminalIds, text } = request;
  return [action, terminalIds.join(' '), text === null ? '' : JSON.stringify(text)].filter(Boolean).join(' ');
}

function approve(context: Context): Command {
  return verb('approve', 'Let a machine join, once you have compared its words, or do what it asks for')
    .argument('<id>', 'id of its request')
    .addOption(OUTPUT)
    .action(async (id: string, options: Common) => {
      const joined = await adminOf(context, options).approve(id, { signal: context.signal });
      const { machineId, deviceName } = joined;
      await printFacts(context, { machine: machineId, name: deviceName }, joined, options, machineId);
    });
}

function deny(context: Context): Command {
  return verb('deny', 'Refuse machines that ask to join, or what they ask for')
    .argument('<ids...>', 'ids of their requests')
    .action(async (ids: string[], options: CommonOptions) => {
      const admin = adminOf(context, options);
      await inEach(context, ids, 'denied', (id) => admin.deny(id, { signal: context.signal }));
    });
}

function leave(context: Context): Command {
  return verb('leave', 'Leave the fleet; at the hub: end it').action(async (options: CommonOptions) => {
    await adminOf(context, options).leave({ signal: context.signal });
  });
}
