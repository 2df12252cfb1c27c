import type { FastifyRequest } from 'fastify';
import { DomainError } from '../contract/errors.js';
import type { FleetExecuteBody } from '../contract/fleet.js';

/** A request's target in the fleet. */
export type Target = Pick<FleetExecuteBody, 'terminalId' | 'machineId' | 'targetOS'>;

export interface TargetParts {
  fleet: {
    /** Returns the other machine that a target names. */
    elsewhere(target: Target): string | undefined;
    /** Throws terminal-not-found. */
    terminal(terminalId: string): unknown;
    machines(): readonly unknown[];
  };
  roster: {
    /** Resolves with the other machine that has a terminal. Rejects with terminal-not-found, ambiguous-target. */
    find(terminalId: string, client: AbortSignal): Promise<string>;
  };
}

/** Ids that a service may make: other text could be another path at the machines that are asked. */
const TERMINAL_ID = /^[A-Za-z0-9_-]{1,100}$/;

/**
 * Resolves with the other machine that a request is for; undefined if it is for this one. A terminal without a machine is
 * looked for here, and then on all machines, for clients that may reach these. Rejects with terminal-not-found,
 * ambiguous-target, and with the reason of `client`.
 */
export async function machineOfTarget(
  { fleet, roster }: TargetParts,
  { rights, fromMachine }: Pick<FastifyRequest, 'rights' | 'fromMachine'>,
  target: Target,
  client: AbortSignal,
): Promise<string | undefined> {
  const named = fleet.elsewhere(target);
  const { terminalId, machineId } = target;
  if (named !== undefined || machineId !== undefined || terminalId === undefined) return named;
  // A terminal that another machine asks for is looked for here only, so that no request goes round the fleet.
  const mayLook = fromMachine === undefined && rights.allows('admin') && fleet.machines().length > 1;
  if (!mayLook || !TERMINAL_ID.test(terminalId) || isHere(fleet, terminalId)) return undefined;
  return roster.find(terminalId, client);
}

function isHere(fleet: TargetParts['fleet'], terminalId: string): boolean {
  try {
    fleet.terminal(terminalId);
    return true;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'terminal-not-found') return false;
    throw error;
  }
}
