import { afterAll, beforeAll, expect, test } from 'vitest';
import { FirstMachine } from '../fixtures/fleet/machine-1.mjs';
import { type FleetMachine, grant, invite, makeHub, online, pair, startMachine } from '../support/fleet.js';
import { serverOf } from '../support/fleet-cut.js';
import { FLOOD, flood, residentBytes } from '../support/flood.js';
import { LiveWatch } from '../support/live-watch.js';

/** A laptop with terminals, a desk that watches them through the hub, and a machine that follows no rule. */
let hub: FleetMachine;
let laptop: FleetMachine;
let desk: FleetMachine;
let greedy: FirstMachine;

const MEBIBYTES = 120;
/** Bytes by which a process may grow during a flood of more bytes. */
const BOUND = 80 * 2 ** 20;

beforeAll(async () => {
  [hub, laptop, desk] = await Promise.all([startMachine(), startMachine(), startMachine()]);
  await makeHub(hub);
  for (const machine of [laptop, desk]) await pair(hub, machine);
  greedy = await FirstMachine.join((await invite(hub, { confirmed: true })).code, 'greedy');
  await online(laptop, greedy.id);
  await online(laptop, desk.id);
  for (const to of [hub, desk, { ...desk, id: greedy.id }])
    await grant(laptop, to, { can: ['observe', 'type'] });
});
afterAll(async () => {
  await greedy?.close();
  await Promise.all([hub, laptop, desk].map((each) => each?.service.stop()));
});

async function terminal(command: string[]): Promise<string> {
  return (await laptop.api.post<{ id: string }>('/api/terminals', { command })).body.id;
}

/** Floods the terminal while another terminal echoes; resolves with the bytes by which each process has grown. */
async function flooded(id: string): Promise<number[]> {
  const quiet = await terminal(['cat']);
  const other = await LiveWatch.open(
    `${hub.service.url}/api/machines/${laptop.id}`,
    `terminals=${quiet}&seq=1`,
  );
  const pids = [laptop.service.pid, hub.service.pid, await serverOf(hub)];
  const before = await Promise.all(pids.map(residentBytes));
  const { ended } = await flood(laptop.api, id, MEBIBYTES);
  for (let n = 0; n < 5; n++) {
    await hub.api.post(`/api/machines/${laptop.id}/terminals/${quiet}/input`, { data: `beside ${n}\r` });
    await other.until('the echo', () => other.text.includes(`beside ${n}\r\nbeside ${n}`));
  }
  await ended;
  await other.close();
  const after = await Promise.all(pids.map(residentBytes));
  return after.map((bytes, n) => bytes - before[n]!);
}

/** Lets the processes grow to the size that a flood takes. */
async function warmUp(id: string): Promise<void> {
  const far = await LiveWatch.open(`${hub.service.url}/api/machines/${laptop.id}`, `terminals=${id}&seq=1`);
  await laptop.api.post(`/api/terminals/${id}/input`, { data: '60\r' });
  await far.until('the end', () => far.tail.includes('and no more'));
  await far.close();
}

test('a machine that takes all and confirms nothing costs the owner and the hub no more than its windows', async () => {
  const id = await terminal(FLOOD);
  await warmUp(id);
  let bytes = 0;
  const stream = await greedy.follow(laptop.id, `/api/terminals/${id}/live`, {
    greedy: true,
    onMessage: (_kind, message) => {
      bytes += message.length;
    },
  });
  if (!('wish' in stream)) throw new Error(JSON.stringify(stream));
  stream.wish({ screens: 0, version: 0, clients: [] });
  for (const grown of await flooded(id)) expect(grown).toBeLessThan(BOUND);
  // The machine got at most the largest window, not the flood.
  expect(bytes).toBeLessThanOrEqual(4 * 2 ** 20);
  expect(bytes).toBeGreaterThan(0);
  stream.close();
});

test('a machine that stops reading costs nobody else anything, and goes on with a screen', async () => {
  const id = await terminal(FLOOD);
  const far = await LiveWatch.open(
    `${desk.service.url}/api/machines/${laptop.id}`,
    `terminals=${id}&snapshot=1`,
  );
  await far.until('the first screen', () => far.screens === 1);
  const before = await residentBytes(desk.service.pid);
  process.kill(desk.service.pid, 'SIGSTOP');
  try {
    for (const grown of await flooded(id)) expect(grown).toBeLessThan(BOUND);
  } finally {
    process.kill(desk.service.pid, 'SIGCONT');
  }
  await far.until('the end', () => far.screens > 1 && far.tail.includes('and no more'));
  expect(await residentBytes(desk.service.pid)).toBeLessThan(before + MEBIBYTES * 2 ** 20);
  await far.close();
});
