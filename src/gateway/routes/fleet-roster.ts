import type { Rights } from '../../actors/access/rights.js';
import { FleetPlace, FleetTerminalList, MachineList } from '../../contract/fleet.js';
import { type ReachedMachine, ReachedMachineList } from '../../contract/fleet-machines.js';
import { needs } from '../access/needs.js';
import { foundFailures } from '../fleet-failures.js';
import { machineOfTarget } from '../fleet-target.js';
import type { App } from '../validation.js';
import type { FleetParts } from './fleet.js';
import { IdParams } from './params.js';

const tags = ['Fleet'];

/** `/api/fleet/machines` and `/api/fleet/terminals`: the machines of the fleet, and their terminals. */
export function registerFleetRoster(app: App, parts: FleetParts): void {
  const { fleet, roster, polls } = parts;
  // A bound token may not know how many terminals the other machines have.
  const machinesFor = ({ isBound }: Rights) => fleet.machines().filter(({ self }) => self || !isBound);
  app.get(
    '/api/fleet/machines',
    {
      config: needs('read', 'filtered'),
      schema: {
        summary: 'List this machine and the machines that are paired with it',
        tags,
        response: { 200: MachineList },
      },
    },
    async ({ rights }) => ({ machines: machinesFor(rights) }),
  );

  app.get(
    '/api/machines',
    {
      config: needs('read', 'filtered'),
      schema: {
        summary: 'List the machines, with what each lets this one do',
        description:
          'As `GET /api/fleet/machines`; for tokens with `admin` also `rights`, for which it asks each machine that is online.',
        tags,
        response: { 200: ReachedMachineList },
      },
    },
    (request, reply) =>
      polls.hold(request, reply, async (signal) => {
        const isAsked = request.fromMachine === undefined && request.rights.allows('admin');
        const told = isAsked ? await roster.rights(signal) : new Map();
        const machines = machinesFor(request.rights).map((machine) => {
          const rights = told.get(machine.machineId) as ReachedMachine['rights'];
          return { ...machine, ...(rights && { rights }) };
        });
        return { machines };
      }),
  );

  app.get(
    '/api/fleet/terminals',
    {
      config: needs('read', 'filtered'),
      schema: {
        summary: 'List the running terminals of all machines in the fleet',
        description:
          'Those of other machines as far as they let this one observe them, and for tokens with `admin` alone. Of a ' +
          'machine that is offline, those that it has listed last, with `seenAt`.',
        tags,
        response: { 200: FleetTerminalList },
      },
    },
    (request, reply) => {
      const { rights, fromMachine } = request;
      const own = fleet.terminals().filter(({ id }) => rights.sees(id));
      const isAlone = fromMachine !== undefined || fleet.machines().length === 1;
      if (isAlone || !rights.allows('admin')) return { terminals: own };
      return polls.hold(request, reply, async (signal) => {
        const { terminals, unasked = [] } = await roster.terminals(signal);
        return { terminals: [...own, ...terminals], ...(unasked.length > 0 && { unasked }) };
      });
    },
  );

  app.get(
    '/api/fleet/terminals/:id',
    {
      config: needs('read', 'filtered'),
      schema: {
        summary: 'Find a terminal in the fleet',
        description: 'Answers with its machine. Exited terminals are found, too, while they are kept.',
        tags,
        params: IdParams,
        response: { 200: FleetPlace, ...foundFailures },
      },
    },
    (request, reply) =>
      polls.hold(request, reply, async (signal) => {
        const { id } = request.params;
        const machineId = await machineOfTarget(parts, request, { terminalId: id }, signal);
        if (machineId !== undefined) return { id, machineId };
        request.rights.requireSight([id]);
        return { id, machineId: fleet.terminal(id).machineId };
      }),
  );
}
