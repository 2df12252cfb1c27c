// Several machines of a fleet in one process, each with its own key, folder and connections. They use the product's own
// classes to communicate, but have no terminals, only a list of terminals.
import { mkdir } from 'node:fs/promises';
import pino from 'pino';
import { Machines } from '../../src/fleet/machines.js';
import type { FleetAnswer } from '../../src/fleet/wire.js';
import { eventually } from '../../test/support/processes.js';
import { answerCalls } from '../support/peer-calls.js';

/** A machine that joins. */
export interface Joining {
  /** An invitation that no person has to confirm. */
  code: string;
  /** Folder of its files. */
  folder: string;
  deviceName: string;
  /** JSON that the machine answers to `GET /api/terminals`. */
  terminals: string;
  /** Number of terminals in the list. */
  count: number;
}

const headers = { 'content-type': 'application/json; charset=utf-8' };
const NOT_FOUND: FleetAnswer = {
  status: 404,
  headers,
  body: Buffer.from('{"error":"not found","code":"not-found"}'),
};
const members: Machines[] = [];

const calls = {
  /** Joins a machine to the fleet, and lets the hub see its terminals. Resolves with the machine's id. */
  async join({ code, folder, deviceName, terminals, count }: Joining): Promise<string> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const body = Buffer.from(terminals);
    const none = () => {
      throw new Error('nobody opens streams here');
    };
    const machines = await Machines.open({
      ...{ folder, env: process.env, logger: pino({ level: 'warn' }) },
      settings: () => ({ port: 0, listen: '127.0.0.1' }),
      me: () => ({ deviceName, os: 'linux', terminals: count }),
      labelsOf: () => ({}),
      runOf: () => ({ machineId: undefined, terminalIds: [] }),
      onRefused: () => undefined,
      run: async (_from, { method, url }) =>
        method === 'GET' && url === '/api/terminals' ? { status: 200, headers, body } : NOT_FOUND,
      sources: { live: none, answer: none },
    });
    members.push(machines);
    await machines.join(code);
    await eventually(`${deviceName} is connected`, async () => machines.status().link === 'connected');
    const { machineId, hub } = machines.status();
    await eventually(`${deviceName} knows the hub`, async () =>
      machines.list().some((each) => each.machineId === hub?.machineId && each.online),
    );
    await machines.grant({ to: hub!.machineId, can: ['observe'], terminals: '*', until: null, ask: 'never' });
    return machineId!;
  },
};
export type FleetCrowdCalls = typeof calls;

answerCalls(calls);
