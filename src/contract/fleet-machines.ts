import { z } from 'zod';
import { Machine } from './fleet.js';
import { Ask, UseRequest } from './fleet-consent.js';
import { Selector } from './labels.js';
import { MAX_LABEL_CHARS } from './limits.js';

/** Rights that a machine may grant another machine on its terminals. */
export const Right = z.enum(['observe', 'type', 'execute', 'create', 'close', 'record']);
export type Right = z.infer<typeof Right>;

const rights = z.array(Right).min(1).max(Right.options.length);
const machineName = z.string().trim().min(1).max(MAX_LABEL_CHARS);
const Ids = z.array(z.string().min(1).max(MAX_LABEL_CHARS)).min(1).max(1_000);

/** Terminals of a grant: `*`, a list of ids, or a selector of labels. */
const GrantTerminals = z.union([
  Ids,
  z
    .string()
    .max(10_000)
    .refine(
      (text) => text === '*' || Selector.safeParse(text).success,
      'must be "*", a list of ids, or a selector such as name=value',
    ),
]);

/** Body of `POST /api/fleet/grants`. */
export const GrantBody = z.object({
  to: z.string().describe('Id of the machine that gets the rights'),
  can: rights,
  terminals: GrantTerminals.default('*').describe(
    'Terminals that it holds for: `*`, a list of ids, or a selector such as `role=test`',
  ),
  until: z.iso
    .datetime({ offset: true })
    .nullable()
    .default(null)
    .describe("When it ends, by this machine's clock; null: when it is revoked"),
  ask: Ask.default('never').describe(
    'Whether somebody at this machine has to approve its use: `first`: the first time; `always`: each time',
  ),
});
export type GrantBody = z.infer<typeof GrantBody>;

export const Grant = z
  .object({
    id: z.string(),
    ...GrantBody.shape,
    terminals: z.union([z.array(z.string()), z.string()]),
    until: z.string().nullable(),
    // Grants of earlier releases have no `ask`.
    ask: Ask.default('never'),
    createdAt: z.number().describe('Epoch milliseconds'),
  })
  .meta({ id: 'Grant' });
export type Grant = z.infer<typeof Grant>;
export const GrantList = z.object({ grants: z.array(Grant) });

/** Answer of `GET /api/fleet/rights`: what one machine may do at another. */
export const RightList = z.object({
  rights: z.array(Grant.pick({ can: true, terminals: true, until: true, ask: true })),
});
export type RightList = z.infer<typeof RightList>;

/** Another machine of the fleet, with the rights that it grants this machine. */
export const ReachedMachine = Machine.extend({
  rights: RightList.shape.rights
    .optional()
    .describe('Of another machine: what it lets this one do; absent if it could not be asked'),
}).meta({ id: 'ReachedMachine' });
export const ReachedMachineList = z.object({ machines: z.array(ReachedMachine) });
export type ReachedMachine = z.infer<typeof ReachedMachine>;

/** Body of `POST /api/fleet/init`. */
export const FleetInitBody = z
  .object({
    address: z
      .string()
      .regex(/^[A-Za-z0-9.:_-]+$/, 'must be a host name or an address')
      .max(MAX_LABEL_CHARS)
      .optional()
      .describe('Name or address by which other machines reach this one; by default its first address'),
  })
  .default({});
export type FleetInitBody = z.infer<typeof FleetInitBody>;

/** Body of `POST /api/fleet/invites`. */
export const InviteBody = z
  .object({
    as: machineName.optional().describe('Name of the machine in the fleet; by default its own'),
    give: rights
      .optional()
      .describe('Rights on all terminals of this machine that the new one gets once it has joined'),
    confirmed: z
      .boolean()
      .default(false)
      .describe('Lets the machine join without a person that compares the words'),
  })
  .default({ confirmed: false });
export type InviteBody = z.infer<typeof InviteBody>;

/** Answer of `POST /api/fleet/invites`. */
export const Invite = z.object({
  id: z.string(),
  code: z.string().describe('For `POST /api/fleet/join` on the other machine; a secret until it is used'),
  expiresAt: z.number().describe('Epoch milliseconds'),
});
export type Invite = z.infer<typeof Invite>;

/** Body of `POST /api/fleet/join`. */
export const JoinBody = z.object({ code: z.string().max(1_000) });
export type JoinBody = z.infer<typeof JoinBody>;

/** A machine that waits to be confirmed, as both sides show it. */
export const Joining = z.object({
  words: z.string().describe('Four words, which both machines show; a person compares them'),
  hub: z.object({ machineId: z.string(), deviceName: z.string() }),
  state: z
    .enum(['waiting', 'denied', 'ended'])
    .describe(
      '`waiting` for a person at the hub; `denied` there; `ended`: by the time limit, or with the hub',
    ),
});
export type Joining = z.infer<typeof Joining>;

/** Answer of `GET /api/fleet/status`. */
export const FleetStatus = z.object({
  role: z.enum(['none', 'hub', 'member']),
  machineId: z.string().nullable().describe('Id of this machine in its fleet'),
  fleetId: z.string().nullable(),
  hub: z
    .object({
      machineId: z.string(),
      address: z.string(),
      port: z.int(),
      url: z
        .string()
        .optional()
        .describe(
          'The setting `fleet.url`, if others run the server; address and port are those of its first server',
        ),
    })
    .nullable()
    .describe('The hub, and where its server is'),
  link: z
    .enum(['off', 'connected', 'connecting', 'refused'])
    .describe(
      "Whether this machine reaches the fleet's server; `refused`: that does not admit it, as after a removal",
    ),
  reason: z.string().nullable().describe('Why it is not connected, if known'),
  joining: Joining.nullable().describe('The last attempt of this machine to join, until it has succeeded'),
});
export type FleetStatus = z.infer<typeof FleetStatus>;

export const JoinRequest = z.object({
  id: z.string(),
  machineId: z.string(),
  deviceName: z.string(),
  os: z.string(),
  words: z.string().describe('Four words, which the other machine shows, too'),
  askedAt: z.number().describe('Epoch milliseconds'),
});
export type JoinRequest = z.infer<typeof JoinRequest>;
export const JoinRequestList = z.object({
  requests: z.array(JoinRequest).describe('At the hub: machines that ask to join'),
  uses: z.array(UseRequest).describe('What other machines want to do here'),
});

export const JoinedMachine = z.object({ machineId: z.string(), deviceName: z.string() });
export type JoinedMachine = z.infer<typeof JoinedMachine>;
export const FleetDone = z.object({ status: z.literal('ok') });
