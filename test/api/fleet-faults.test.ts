import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  connected,
  type FleetMachine,
  grant,
  invite,
  makeHub,
  online,
  pair,
  startMachine,
} from '../support/fleet.js';
import { factsOf } from '../support/fleet-wire.js';
import { eventually } from '../support/processes.js';

let hub: FleetMachine;
let laptop: FleetMachine;

beforeAll(async () => {
  [hub, laptop] = await Promise.all([startMachine(), startMachine()]);
  await makeHub(hub);
  await pair(hub, laptop);
  await grant(laptop, hub, { can: ['observe', 'type'] });
});
afterAll(() => Promise.all([hub, laptop].map((each) => each?.service.stop())));

/** Pid of nats-server, as the hub has recorded it. */
async function serverOf({ service }: FleetMachine): Promise<number> {
  const text = await readFile(join(service.home, 'data/fleet/hub-process.json'), 'utf8');
  return (JSON.parse(text) as { pid: number }).pid;
}

/** Kills a service and starts it on the same home. */
async function killed(machine: FleetMachine): Promise<FleetMachine> {
  const { home } = machine.service;
  await machine.service.kill('SIGKILL');
  return { ...(await startMachine(home)), id: machine.id };
}

async function reaches(from: FleetMachine, to: FleetMachine): Promise<void> {
  await online(from, to.id);
  expect((await from.api.get(`/api/machines/${to.id}/terminals`)).status).toBe(200);
}

test('a machine whose service is killed is offline within 1.5 s and says so, and comes back', async () => {
  const { home } = laptop.service;
  await laptop.service.kill('SIGKILL');
  const began = performance.now();
  const { lastSeenAt } = await online(hub, laptop.id, false);
  expect(performance.now() - began).toBeLessThan(2_500);
  const answer = await hub.api.get(`/api/machines/${laptop.id}/terminals`);
  expect(answer).toMatchObject({ status: 503, body: { code: 'machine-unreachable', lastSeenAt } });
  laptop = { ...(await startMachine(home)), id: laptop.id };
  // The owner's grants still count after its restart, for requests that name the new start.
  await reaches(hub, laptop);
});

test('a hub whose service is killed adopts its server, and the others keep their connection', async () => {
  const pid = await serverOf(hub);
  hub = await killed(hub);
  await connected(hub);
  expect(await serverOf(hub)).toBe(pid);
  await reaches(hub, laptop);
});

test('a machine that dies while the service of the hub is away is offline for the others, too', async () => {
  const other = await startMachine();
  await pair(hub, other);
  await online(laptop, other.id);
  const { home } = hub.service;
  await hub.service.kill('SIGKILL');
  await other.service.kill('SIGKILL');
  hub = { ...(await startMachine(home)), id: hub.id };
  await connected(hub);
  await online(laptop, other.id, false);
  await reaches(hub, laptop);
  expect((await hub.api.delete(`/api/fleet/machines/${other.id}`)).status).toBe(200);
  await other.service.stop();
});

test('a server is adopted also if the service was killed before it had written down that it has started it', async () => {
  const pid = await serverOf(hub);
  const { home } = hub.service;
  await hub.service.kill('SIGKILL');
  await rm(join(home, 'data/fleet/hub-process.json'));
  hub = { ...(await startMachine(home)), id: hub.id };
  await connected(hub);
  expect(await serverOf(hub)).toBe(pid);
  await reaches(hub, laptop);
});

test('a server that is killed is started again, on the same port', async () => {
  const pid = await serverOf(hub);
  const { port } = (await factsOf(hub)).hub;
  process.kill(pid, 'SIGKILL');
  await eventually('another server', async () => (await serverOf(hub).catch(() => pid)) !== pid);
  await connected(hub);
  expect((await factsOf(hub)).hub.port).toBe(port);
  await reaches(hub, laptop);
});

test('an invitation that has reached its time admits nobody, also after a restart', async () => {
  const { id, code } = await invite(hub);
  const { home } = hub.service;
  await hub.service.kill('SIGKILL');
  const file = join(home, 'data/fleet/fleet.json');
  const facts = JSON.parse(await readFile(file, 'utf8')) as { invites: { id: string; expiresAt: number }[] };
  const invites = facts.invites.map((each) => (each.id === id ? { ...each, expiresAt: 1 } : each));
  await writeFile(file, JSON.stringify({ ...facts, invites }));
  hub = { ...(await startMachine(home)), id: hub.id };
  const other = await startMachine();
  await eventually('refused', async () => {
    const answer = await other.api.post<{ code: string }>('/api/fleet/join', { code });
    expect(answer.status).toBe(403);
    return answer.body.code === 'invite-refused';
  });
  await other.service.stop();
});

test('a stop ends the server of the hub; the next start has another one', async () => {
  const pid = await serverOf(hub);
  const { home } = hub.service;
  await hub.service.kill('SIGTERM');
  await eventually('the end of the server', async () => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  });
  hub = { ...(await startMachine(home)), id: hub.id };
  await connected(hub);
  await reaches(hub, laptop);
});

test.each([
  ['the state of the fleet', 'fleet.json', '{}', /fleet\.json: is no file of a fleet/],
  ['the key of the machine', 'machine-key', 'short\n', /machine-key: holds no key of this machine/],
  ['the key of the machine', 'machine-key', undefined, /machine-key: is missing; put back the key/],
])(
  '%s that is damaged or gone stops the start in one line, and is left as it is',
  async (_, name, damaged, said) => {
    const { home } = laptop.service;
    await laptop.service.kill('SIGKILL');
    const file = join(home, 'data/fleet', name);
    const text = await readFile(file, 'utf8');
    if (damaged === undefined) await rm(file);
    else await writeFile(file, damaged);
    await expect(startMachine(home)).rejects.toThrow(said);
    expect(await readFile(file, 'utf8').catch(() => undefined)).toBe(damaged);
    await writeFile(file, text);
    laptop = { ...(await startMachine(home)), id: laptop.id };
    await reaches(hub, laptop);
  },
);
