import { join } from 'node:path';
import type { FleetTerminal } from '../../src/contract/fleet.js';
import { invite, makeHub, online, startMachine } from '../../test/support/fleet.js';
import type { FleetCrowdCalls } from '../peers/fleet-crowd.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { Peer } from '../support/peer-calls.js';
import { median } from '../support/stats.js';
import { tempFolder } from '../support/temp-folder.js';

/** Machines beside the hub, and terminals of each. */
const MACHINES = 50;
const TERMINALS = 200;
const AGAIN = 100;

/** Measures a fleet of many machines at its hub: listing all terminals, and how soon the hub detects a dead machine. */
export async function machines({ cleanup, progress, scale }: Bench): Promise<Row[]> {
  const count = Math.max(3, Math.round(MACHINES * scale));
  const hub = await cleanup.own(startMachine(), ({ service }) => service.stop());
  await makeHub(hub);
  const folder = tempFolder(cleanup);
  // Most machines share a process; the machine that falls silent and the machine that dies each have their own.
  const [crowd, silent, dying] = [1, 2, 3].map(() => Peer.start<FleetCrowdCalls>(cleanup, 'fleet-crowd')) as [
    Peer<FleetCrowdCalls>,
    Peer<FleetCrowdCalls>,
    Peer<FleetCrowdCalls>,
  ];
  const entry = await entryOf(hub);
  const joined = async (peer: Peer<FleetCrowdCalls>, index: number) => {
    progress.note(`${index + 1} of ${count} machines join`);
    const { code } = await invite(hub, { confirmed: true });
    const terminals = JSON.stringify({ ...entry.list, terminals: entriesLike(entry.terminal, index) });
    const deviceName = `machine ${index}`;
    return peer.call('join', {
      code,
      folder: join(folder, String(index)),
      deviceName,
      terminals,
      count: TERMINALS,
    });
  };
  for (let index = 2; index < count; index++) await joined(crowd, index);
  const silentId = await joined(silent, 0);
  const dyingId = await joined(dying, 1);
  progress.note('lists');
  const list = async () => {
    const begin = performance.now();
    const answer = await fetch(`${hub.service.url}/api/fleet/terminals`);
    const text = await answer.text();
    const ms = performance.now() - begin;
    const body = JSON.parse(text) as { terminals: FleetTerminal[]; unasked?: unknown[] };
    const far = new Set(body.terminals.map(({ id }) => id));
    if (far.size !== count * TERMINALS + 1 || (body.unasked ?? []).length > 0)
      throw new Error(
        `the list has ${far.size} terminals; machines that did not answer: ${JSON.stringify(body.unasked)}`,
      );
    return ms;
  };
  const first = await list();
  const again: number[] = [];
  for (let n = 0; n < AGAIN; n++) again.push(await list());
  progress.note('a machine dies');
  const noticed = async (machineId: string, end: () => void, ms: number) => {
    await online(hub, machineId);
    const begin = performance.now();
    end();
    await online(hub, machineId, false, ms);
    return (performance.now() - begin) / 1_000;
  };
  const closed = await noticed(dyingId, () => process.kill(dying.pid, 'SIGKILL'), 20_000);
  progress.note('a machine falls silent');
  const quiet = await noticed(silentId, () => process.kill(silent.pid, 'SIGSTOP'), 30_000);
  const name = `${count * TERMINALS} terminals of ${count} machines`;
  return [
    { name: `${name}, listed first`, value: first, unit: 'ms', target: { value: { max: 300 } } },
    {
      name: `${name}, listed again: median`,
      value: median(again),
      unit: 'ms',
      target: { value: { max: 50 } },
    },
    {
      name: 'a machine whose process is killed is offline after',
      value: closed,
      unit: 's',
      target: { value: { max: 1 } },
    },
    {
      name: 'a machine that falls silent is offline after',
      value: quiet,
      unit: 's',
      target: { value: { max: 9.3 } },
    },
  ];
}

type Hub = Awaited<ReturnType<typeof startMachine>>;

/** Creates a terminal on the hub. Resolves with its entry in the list of terminals, and with the list. */
async function entryOf({ api }: Hub) {
  await api.post('/api/terminals', { command: ['bash'], name: 'build' });
  const { body } = await api.get<{ terminals: ({ id: string; name: string } & object)[] }>('/api/terminals');
  return { list: body, terminal: body.terminals[0]! };
}

function entriesLike(terminal: { id: string; name: string }, machine: number) {
  return Array.from({ length: TERMINALS }, (_, n) => ({
    ...terminal,
    id: `term_${(machine * TERMINALS + n).toString(16).padStart(12, '0')}`,
    name: `${terminal.name} ${n}`,
  }));
}
