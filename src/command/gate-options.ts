import { type Command, Option } from 'commander';
import type { GateOptions } from '../client/index.js';
import { msOf, secondsOf } from './verb.js';

/** Options of a verb that types: the conditions for typing. */
export interface GateFlags {
  whenBusy?: GateOptions['whenBusy'];
  queue?: number;
  lease?: string;
  ifAgentIdle?: boolean;
}

/** Adds the options to a verb that types. */
export function withGate(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--when-busy <what>',
        'while a person or another program types: type all the same, fail, or wait in line',
      ).choices(['force', 'refuse', 'queue']),
    )
    .option('--queue <seconds>', 'wait in line for so long, as --when-busy queue', secondsOf)
    .option('--lease <id>', 'type under this lease')
    .option('--if-agent-idle', 'type only to a coding agent that is idle, never into its question');
}

/** Returns the options of the request for these flags. */
export function wishOf({ whenBusy, queue, lease, ifAgentIdle }: GateFlags): GateOptions {
  const queued = queue === undefined ? whenBusy : (whenBusy ?? 'queue');
  return {
    ...(queued && { whenBusy: queued }),
    ...(queue !== undefined && { queueMs: msOf(queue) }),
    ...(lease !== undefined && { lease }),
    ...(ifAgentIdle && { ifAgent: ['idle' as const] }),
  };
}
