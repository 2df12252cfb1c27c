import type { z } from 'zod';
import type { Rights } from '../../actors/access/rights.js';
import type { Attached } from '../../actors/attached/attached.js';
import { AttachCommand, DetachCommand, LeadCommand } from '../../contract/attach.js';
import { describeIssues } from '../../contract/describe-issues.js';
import { DomainError } from '../../contract/errors.js';
import { MAX_BATCH_TERMINALS, MAX_DIMENSION, MIN_DIMENSION } from '../../contract/limits.js';
import {
  SCREENS_WATCH_NEEDS,
  ScreensResyncCommand,
  ScreensWatchCommand,
} from '../../contract/screen-rows.js';
import {
  EndLeaseCommand,
  InputCommand,
  RenewLeaseCommand,
  ResizeCommand,
  ResyncCommand,
  TakeLeaseCommand,
  WatchCommand,
} from '../../contract/ws-messages.js';
import type { ClientLeases } from './client-leases.js';
import type { FanOut } from './fan-out.js';
import type { ScreenViews } from './screen-views.js';
import type { StreamClient } from './stream-client.js';

/** The clients that are attached to terminals. Throws terminal-not-found, not-attached, read-only-client. */
export type AttachedPort = Pick<
  Attached,
  | 'attach'
  | 'detach'
  | 'lead'
  | 'leave'
  | 'resize'
  | 'resizeClient'
  | 'isAttached'
  | 'requireWriter'
  | 'typed'
>;

/** Input of a client. */
export type TypedInput = Omit<z.infer<typeof InputCommand>, 'action'>;

/** The client whose commands are carried out, and the parts of the service that they act on. */
export interface CommandContext {
  terminals: { get(id: string): unknown; list(status: 'all'): readonly { id: string }[] };
  /** Whether the client may watch all terminals at once. */
  hasAll: boolean;
  attached: AttachedPort;
  fanOut: Pick<FanOut, 'watch' | 'restart'>;
  screens: Pick<ScreenViews, 'watch' | 'resync'>;
  client: StreamClient;
  /** Rights of the client. */
  rights: Rights;
  /** Types as this client, and passes the gate as its message asks; the input leaves the line when the client leaves. */
  type: (input: TypedInput) => Promise<void>;
  /** Takes leases for this client; throws `not-across` for terminals of another machine. */
  leases: () => ClientLeases;
}

/** Carries out a command. Resolves with the reply's `data`, if it has any; throws DomainErrors. */
type Command = (payload: unknown, context: CommandContext) => Promise<object | undefined>;

const SIZE = `cols and rows from ${MIN_DIMENSION} to ${MAX_DIMENSION}`;

/** The commands by their action. */
const COMMANDS: ReadonlyMap<unknown, Command> = new Map([
  [
    'terminal:input',
    command(
      InputCommand,
      'the strings terminalId and data',
      async ({ action: _action, ...input }, context) => {
        const { terminalId, data } = input;
        const { attached, client, rights } = context;
        rights.require('type');
        attached.requireWriter(terminalId, client.id);
        await context.type(input);
        // Refused input does not take the lead.
        attached.typed(terminalId, client.id, data);
        return undefined;
      },
    ),
  ],
  [
    'lease:take',
    command(
      TakeLeaseCommand,
      'the string terminalId; ttlMs and waitMs are numbers, takeover a boolean, reason a string, tie "connection"',
      async ({ terminalId, tie, ...asked }, { leases, rights }) => {
        rights.require('type', ...(asked.takeover ? (['takeover'] as const) : []));
        return leases().take(terminalId, asked, tie === 'connection');
      },
    ),
  ],
  [
    'lease:renew',
    command(
      RenewLeaseCommand,
      'the strings terminalId and leaseId; ttlMs is a number',
      async ({ terminalId, leaseId, ttlMs }, { leases, rights }) => {
        rights.require('type');
        return leases().renew(terminalId, leaseId, ttlMs);
      },
    ),
  ],
  [
    'lease:end',
    command(EndLeaseCommand, 'the strings terminalId and leaseId', async (ended, { leases, rights }) => {
      rights.require('type');
      leases().end(ended.terminalId, ended.leaseId);
      return undefined;
    }),
  ],
  [
    'terminal:resize',
    command(
      ResizeCommand,
      `the string terminalId, and ${SIZE}`,
      async (wanted, { attached, client, rights }) => {
        const { terminalId, cols, rows } = wanted;
        if (attached.isAttached(terminalId, client.id))
          return attached.resizeClient(terminalId, client.id, { cols, rows });
        rights.require('control');
        await attached.resize(terminalId, { cols, rows });
        return { cols, rows };
      },
    ),
  ],
  [
    'terminal:attach',
    command(
      AttachCommand,
      `the string terminalId, and ${SIZE}; readOnly is a boolean, name a string`,
      async ({ terminalId, ...attach }, { attached, client, rights }) => {
        // A client that is attached and may lead sets the size of the terminal, and types.
        if (!attach.readOnly) rights.require('type');
        return attached.attach(terminalId, client.id, attach);
      },
    ),
  ],
  [
    'terminal:detach',
    command(DetachCommand, 'the string terminalId', async ({ terminalId }, context) => {
      const { terminals, attached, client } = context;
      terminals.get(terminalId);
      if (!attached.isAttached(terminalId, client.id)) throw new DomainError('not-attached');
      await attached.detach(terminalId, client.id, 'requested');
      return undefined;
    }),
  ],
  [
    'terminal:lead',
    command(LeadCommand, 'the string terminalId', ({ terminalId }, { attached, client }) =>
      attached.lead(terminalId, client.id),
    ),
  ],
  [
    'stream:watch',
    command(
      WatchCommand,
      `terminals: "all", or an array of at most ${MAX_BATCH_TERMINALS} ids`,
      async (wanted, { terminals, fanOut, client, hasAll }) => {
        if (wanted.terminals === 'all') {
          if (!hasAll) throw new DomainError('terminals-not-named');
          await fanOut.watch(client, undefined);
          return { missing: [] };
        }
        const ids = new Set(wanted.terminals);
        await fanOut.watch(client, ids);
        for (const { id } of terminals.list('all')) if (client.sees(id)) ids.delete(id);
        return { missing: [...ids] };
      },
    ),
  ],
  [
    'stream:resync',
    command(ResyncCommand, 'the string terminalId', async ({ terminalId }, context) => {
      const { terminals, fanOut, client } = context;
      terminals.get(terminalId);
      if (!fanOut.restart(client, terminalId)) throw new DomainError('not-watched');
      return undefined;
    }),
  ],
  [
    'screens:watch',
    command(ScreensWatchCommand, SCREENS_WATCH_NEEDS, async ({ views }, { terminals, screens, client }) => {
      if (!client.subscription.screens) throw new DomainError('no-screens');
      const ids = terminals.list('all').map(({ id }) => id);
      const known = new Set(ids.filter((id) => client.sees(id)));
      screens.watch(
        client,
        views.filter(({ terminalId }) => known.has(terminalId)),
      );
      const missing = new Set(views.map(({ terminalId }) => terminalId).filter((id) => !known.has(id)));
      return { missing: [...missing] };
    }),
  ],
  [
    'screens:resync',
    command(ScreensResyncCommand, 'the string terminalId', async ({ terminalId }, context) => {
      const { terminals, screens, client } = context;
      terminals.get(terminalId);
      if (!screens.resync(client, terminalId)) throw new DomainError('screen-not-watched');
      return undefined;
    }),
  ],
] as const);

/** Carries out the command in a payload. Resolves with undefined, too, for an action that does not exist. */
export async function runCommand(payload: unknown, context: CommandContext): Promise<object | undefined> {
  if (typeof payload !== 'object' || payload === null || !('action' in payload)) return undefined;
  return COMMANDS.get(payload.action)?.(payload, context);
}

/** @param needs - what a payload must have, for the error text */
function command<Schema extends z.ZodType>(
  schema: Schema,
  needs: string,
  run: (payload: z.infer<Schema>, context: CommandContext) => Promise<object | undefined>,
): Command {
  return async (payload, context) => {
    const { data, success, error } = schema.safeParse(payload);
    if (!success) {
      const { action } = payload as { action: string };
      // `needs` does not name all fields, nor their bounds.
      const message = `${action} needs ${needs}: ${describeIssues(error, 'payload')}`;
      throw new DomainError('invalid-request', message);
    }
    const named = (data as { terminalId?: string }).terminalId;
    if (named !== undefined) context.rights.requireSight([named]);
    return run(data, context);
  };
}
