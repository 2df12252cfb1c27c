import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Rights } from '../../actors/access/rights.js';
import { DomainError, type ErrorCode } from '../../contract/errors.js';
import {
  FleetClosed,
  FleetExecuteBody,
  FleetExecution,
  FleetScreen,
  FleetTarget,
  type FleetTerminal,
  type FleetTerminalList,
  type Machine,
} from '../../contract/fleet.js';
import type { RightList } from '../../contract/fleet-machines.js';
import type { Principal } from '../../contract/principal.js';
import { needs } from '../access/needs.js';
import { elsewhereFailures, type MachinesPort, sendElsewhere } from '../elsewhere.js';
import { ErrorBody, failures, overLimitFailure } from '../failures.js';
import { Ambiguous, foundFailures, NoMatch, NotFound } from '../fleet-failures.js';
import { machineOfTarget, type TargetParts } from '../fleet-target.js';
import { lockFailures } from '../gate-failures.js';
import { IdempotencyHeaders, type IdempotencyKeys } from '../idempotency.js';
import type { LongPolls } from '../long-polls.js';
import type { App } from '../validation.js';
import type { Writers } from '../writers.js';

interface FleetPlan {
  runId: string;
  terminalId: string;
}

/** The fleet, as the gateway calls it. A request that names a machine that is in no fleet throws peering-not-installed. */
interface FleetPort {
  machines(): Machine[];
  terminals(): FleetTerminal[];
  /** Throws terminal-not-found. */
  terminal(terminalId: string): FleetTerminal;
  /**
   * Returns the other machine of the fleet that a request is for; undefined if it is for this one, or for none of
   * them, in which case `execute` rejects with the reason.
   */
  elsewhere(target: Pick<FleetExecuteBody, 'terminalId' | 'machineId' | 'targetOS'>): string | undefined;
  /** Chooses the ids of the run and of the terminal for a command. */
  plan(body: FleetExecuteBody): FleetPlan;
  /** Rejects with terminal-not-found, no-match, ambiguous-target, or the signal's reason. */
  execute(
    body: FleetExecuteBody,
    plan: FleetPlan,
    who: Principal,
    signal: AbortSignal,
  ): Promise<FleetExecution>;
  /** Throws terminal-not-found. */
  screen(target: FleetTarget): Promise<FleetScreen>;
  /** Throws terminal-not-found. */
  close(target: FleetTarget): Promise<FleetClosed>;
}

/** The terminals of the other machines. */
interface RosterPort {
  terminals(client: AbortSignal): Promise<FleetTerminalList>;
  rights(client: AbortSignal): Promise<ReadonlyMap<string, RightList['rights']>>;
  find: TargetParts['roster']['find'];
}

export interface FleetParts {
  fleet: FleetPort;
  roster: RosterPort;
  machines: MachinesPort;
  polls: LongPolls;
  keys: IdempotencyKeys;
  writers: Writers;
}

const NOT_FOUND: ErrorCode[] = ['terminal-not-found', 'no-match'];

const CONFLICTS: ErrorCode[] = ['ambiguous-target', 'agent-waiting', 'agent-busy', 'no-agent'];

const tags = ['Fleet'];

/** `/api/fleet`: the same operations on this machine and on the machines that are paired with it. */
export function registerFleet(app: App, parts: FleetParts): void {
  const { fleet, polls, keys, writers } = parts;
  registerTargets(app, parts);

  app.post(
    '/api/fleet/execute',
    {
      config: needs('run', 'filtered'),
      schema: {
        summary: 'Run a command and wait for it',
        description:
          'Runs the command in the terminal `terminalId`, or in a fresh terminal, which is closed ' +
          'afterwards unless `timeoutMs` has passed. A long poll: answers when the command has ended, or ' +
          'at `timeoutMs` with `done: false`. `terminalId` takes precedence over `machineId`, which takes ' +
          'precedence over `targetOS`; without any of them, the command runs on this machine. A terminal ' +
          'that this machine does not have is looked for on the machines of the fleet. The run continues if ' +
          'the client disconnects.',
        tags,
        headers: IdempotencyHeaders,
        body: FleetExecuteBody,
        response: {
          200: FleetExecution,
          ...failures('key-reused', 'spawn-failed', 'peering-not-installed', 'fleet-protocol'),
          429: overLimitFailure('input-buffer-full'),
          404: z.union([NotFound, NoMatch]).meta({
            description: 'Terminal not found; no match; or the run of this Idempotency-Key is no longer kept',
            codes: [...NOT_FOUND, 'run-not-found'],
          }),
          409: z.union([ErrorBody, Ambiguous]).meta({
            description: 'ambiguous target; or the agent is not as `ifAgent` says',
            codes: CONFLICTS,
          }),
          ...lockFailures,
          ...elsewhereFailures,
        },
      },
    },
    (request, reply) =>
      polls.hold(request, reply, async (signal) => {
        const machineId = await machineOfTarget(parts, request, request.body, signal);
        if (machineId !== undefined) return sendElsewhere(parts, [request, reply], machineId, signal);
        requireExecution(request.rights, request.body.terminalId);
        const { plan } = await keys.begin(request, () => fleet.plan(request.body));
        return fleet.execute(request.body, plan, writers.who(request, 'fleet'), signal);
      }),
  );
}

/**
 * Throws terminal-not-found, verb-missing, and outside-scope for a command without a terminal: it runs in a fresh
 * terminal, which has no labels and counts towards the limit of no token.
 */
function requireExecution(rights: Rights, terminalId: string | undefined): void {
  if (terminalId !== undefined) {
    rights.requireSight([terminalId]);
    return;
  }
  rights.require('control');
  const { holder, isBound } = rights;
  if (!isBound && (holder?.maxTerminals ?? null) === null) return;
  throw new DomainError(
    'outside-scope',
    'A token that is bound to some terminals, or to a number of them, must name a terminal',
  );
}

function registerTargets(app: App, parts: FleetParts): void {
  const { fleet, polls } = parts;
  app.post(
    '/api/fleet/screen',
    {
      config: needs('read', 'filtered'),
      schema: {
        summary: 'Get the screen of a terminal as text',
        description: 'Works for an exited terminal, too, while it is kept; `running` is then false.',
        tags,
        body: FleetTarget,
        response: { 200: FleetScreen, ...foundFailures },
      },
    },
    (request, reply) =>
      polls.hold(request, reply, async (signal) => {
        const machineId = await machineOfScreen(parts, request, signal);
        if (machineId !== undefined) return sendElsewhere(parts, [request, reply], machineId, signal);
        request.rights.requireSight([request.body.terminalId]);
        return fleet.screen(request.body);
      }),
  );

  app.post(
    '/api/fleet/close',
    {
      config: needs('control', 'filtered'),
      schema: {
        summary: 'Close a terminal',
        description: 'Does the same as `DELETE /api/terminals/{id}`.',
        tags,
        body: FleetTarget,
        response: { 200: FleetClosed, ...foundFailures },
      },
    },
    (request, reply) =>
      polls.hold(request, reply, async (signal) => {
        const machineId = await machineOfScreen(parts, request, signal);
        if (machineId !== undefined) return sendElsewhere(parts, [request, reply], machineId, signal);
        request.rights.requireSight([request.body.terminalId]);
        return fleet.close(request.body);
      }),
  );
}

/** Resolves with the machine of a screen. A machine that is named decides alone, since a terminal here may have gone. */
function machineOfScreen(
  parts: FleetParts,
  request: Pick<FastifyRequest, 'rights' | 'fromMachine'> & { body: FleetTarget },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { terminalId, machineId } = request.body;
  return machineOfTarget(parts, request, machineId === undefined ? { terminalId } : { machineId }, signal);
}
