import type { Command } from 'commander';
import {
  type LeaseInfo,
  type LeaseOptions,
  type LeaseState,
  principalName,
  type Terminal,
} from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { ageOf, type FormatOptions, OUTPUT, printFacts } from '../format.js';
import { holdLease } from '../lease-holder.js';
import { oneTarget, TARGET_HELP } from '../targets.js';
import { commandAfter, msOf, secondsUpTo, verb } from '../verb.js';

type Common = CommonOptions & FormatOptions;

/** Flags of a request for a lease. */
interface TakeFlags {
  ttl?: number;
  wait?: number;
  takeover?: boolean;
  reason?: string;
}

const DEFAULT_TTL_S = 30;

/** Checked here: what refuses a lease that is tied to a connection speaks of its message, not of options. */
const ttlSeconds = secondsUpTo(600);
const waitSeconds = secondsUpTo(3_600, { orNone: true });

/** `auto-terminal lease`: the right of one program to type into a terminal. */
export function lease(context: Context): Command {
  return verb('lease', 'Keep other programs from typing into a terminal for a time')
    .enablePositionalOptions()
    .addCommand(hold(context))
    .addCommand(acquire(context))
    .addCommand(renew(context))
    .addCommand(release(context))
    .addCommand(show(context));
}

function hold(context: Context): Command {
  return withTake(
    verb('hold', 'Run a command of this machine while it has the lease, and give the lease back'),
  )
    .argument('<target>', TARGET_HELP)
    .argument(
      '<command...>',
      'program and arguments, after --; AUTO_TERMINAL_LEASE in its environment is the lease',
    )
    .passThroughOptions()
    .action(async (target: string, command: string[], options: CommonOptions & TakeFlags) => {
      const terminal = await terminalOf(context, target, options);
      const usage = (option: string) => `auto-terminal lease hold ${option} ... ${target} -- COMMAND`;
      const words = commandAfter(command, usage);
      await holdLease(context, terminal, words, { ...wishOf(options), ttlMs: ttlOf(options) });
    });
}

function acquire(context: Context): Command {
  return withTake(verb('acquire', 'Take the lease of a terminal, and print its id for --lease'))
    .argument('<target>', TARGET_HELP)
    .addOption(OUTPUT)
    .action(async (target: string, options: Common & TakeFlags) => {
      const terminal = await terminalOf(context, target, options);
      const call = { signal: context.signal };
      const { leaseId, fence, expiresAt } = await terminal.lease({ ...wishOf(options), ...call });
      await printLease(context, { leaseId, fence, expiresAt }, options);
    });
}

function renew(context: Context): Command {
  return verb('renew', 'Make a lease last for --ttl seconds from now on')
    .argument('<target>', TARGET_HELP)
    .argument('<lease>', 'id of the lease')
    .option('--ttl <seconds>', 'how long it lasts, at most 600', ttlSeconds, DEFAULT_TTL_S)
    .addOption(OUTPUT)
    .action(async (target: string, leaseId: string, options: Common & TakeFlags) => {
      const { leases } = await terminalOf(context, target, options);
      const renewed = await leases.renew(leaseId, ttlOf(options), { signal: context.signal });
      await printLease(context, renewed, options);
    });
}

function release(context: Context): Command {
  return verb('release', 'Give a lease back')
    .argument('<target>', TARGET_HELP)
    .argument('<lease>', 'id of the lease')
    .action(async (target: string, leaseId: string, options: CommonOptions) => {
      const { leases } = await terminalOf(context, target, options);
      await leases.end(leaseId, { signal: context.signal });
    });
}

function show(context: Context): Command {
  return verb('show', 'Show who has the lease of a terminal, who waits, and whether a person types')
    .argument('<target>', TARGET_HELP)
    .addOption(OUTPUT)
    .action(async (target: string, options: Common) => {
      const { leases } = await terminalOf(context, target, options);
      const state = await leases.state({ signal: context.signal });
      await printFacts(context, factsOf(state), state, options);
    });
}

function withTake(command: Command): Command {
  return command
    .option(
      '--ttl <seconds>',
      'how long it lasts unless it is renewed, at most 600',
      ttlSeconds,
      DEFAULT_TTL_S,
    )
    .option('--wait <seconds>', 'wait in line for so long if another program has it', waitSeconds)
    .option('--takeover', 'end the lease of the program that has it')
    .option('--reason <text>', 'what it is for, for others who want to type');
}

function wishOf({ wait, takeover, reason, ...flags }: TakeFlags): LeaseOptions {
  return {
    ttlMs: ttlOf(flags),
    ...(wait !== undefined && { waitMs: msOf(wait) }),
    ...(takeover && { takeover }),
    ...(reason !== undefined && { reason }),
  };
}

function ttlOf({ ttl = DEFAULT_TTL_S }: TakeFlags): number {
  return msOf(ttl);
}

async function terminalOf(context: Context, target: string, options: CommonOptions): Promise<Terminal> {
  const client = context.client(options);
  const { id } = await oneTarget(context, client, target, { mustRun: true });
  return client.terminals.get(id);
}

/** Prints the id alone unless the options ask for more: scripts pass it on. */
async function printLease(context: Context, lease: LeaseInfo, options: FormatOptions): Promise<void> {
  const { leaseId, fence, expiresAt } = lease;
  if (options.output === undefined) return context.write(`${leaseId}\n`);
  const facts = { lease: leaseId, fence: String(fence), expires: timeOf(expiresAt) };
  await printFacts(context, facts, lease, options, leaseId);
}

function factsOf({
  holder,
  fence,
  expiresAt,
  reason,
  humanAt,
  draft,
  queue,
}: LeaseState): Record<string, string> {
  return {
    holder: holder === null ? 'nobody' : principalName(holder),
    ...(fence !== null && { fence: String(fence) }),
    ...(expiresAt !== null && { expires: timeOf(expiresAt) }),
    ...(reason !== null && { reason }),
    ...(humanAt !== null && { person: `typed ${ageOf(humanAt)} ago` }),
    ...(draft && { draft: 'a person has a half-typed line' }),
    ...(queue.length > 0 && {
      waiting: queue.map(({ wants, who }) => `${principalName(who)} to ${verbOf(wants)}`).join('; '),
    }),
  };
}

function verbOf(wants: LeaseState['queue'][number]['wants']): string {
  return wants === 'lease' ? 'take the lease' : 'type';
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
