import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { FLEET_CLOSED_MS, PING_INTERVAL_MS } from '#dist/contract/limits.js';
import { machines, online } from '../support/fleet.js';
import { useFleetOfTwo } from '../support/fleet-of-two.js';
import { FLOOD, flood, residentBytes } from '../support/flood.js';
import { LiveWatch } from '../support/live-watch.js';
import { eventually } from '../support/processes.js';

const fleet = useFleetOfTwo();

const END = 'and no more';

test('a watcher that never reads, and one behind a cut, hold up nobody and no memory', async () => {
  const [flooding, quiet] = await Promise.all([fleet.terminal(FLOOD), fleet.terminal(['cat'])]);
  const stalled = await LiveWatch.open(fleet.there, `terminals=${flooding}&snapshot=1`);
  const other = await LiveWatch.open(fleet.there, `terminals=${quiet}&seq=1`);
  const here = await LiveWatch.open(fleet.laptop.service.url, `terminals=${quiet}&seq=1`);
  await stalled.until('the first screen', () => stalled.screens === 1);
  // This first flood grows both services to the size that a flood takes.
  await fleet.laptop.api.post(`/api/terminals/${flooding}/input`, { data: '60\r' });
  const printed = () => Number([...stalled.tail.matchAll(/printed up to (\d+) and/g)].at(-1)?.[1] ?? 0);
  const first = await stalled.until('the first end', () => printed() > 0 && printed());
  const before = await Promise.all(
    [fleet.hub, fleet.laptop].map(({ service }) => residentBytes(service.pid)),
  );
  const { screens } = stalled;
  stalled.socket.pause();
  const paused = performance.now();
  const { ended } = await flood(fleet.laptop.api, flooding, 160);
  await fleet.laptop.api.post(`/api/terminals/${quiet}/input`, { data: 'beside\r' });
  await other.until('the others', () => other.text.includes('beside\r\nbeside'));
  await ended;
  // This is the growth during a flood of 160 MiB.
  const grown = (
    await Promise.all([fleet.hub, fleet.laptop].map(({ service }) => residentBytes(service.pid)))
  ).map((bytes, n) => bytes - before[n]!);
  for (const bytes of grown) expect(bytes).toBeLessThan(100 * 2 ** 20);
  stalled.socket.resume();
  const isClosed = () => stalled.socket.readyState === WebSocket.CLOSED;
  await stalled.until('the end', () => printed() > first || isClosed());
  // The flood may last so long that the service considers the client, which reads nothing, dead.
  if (isClosed()) expect(performance.now() - paused).toBeGreaterThan(PING_INTERVAL_MS);
  else expect(stalled.screens).toBeGreaterThan(screens);
  await Promise.all([stalled, other, here].map((each) => each.close()));
}, 600_000);

test('a cut that outlasts what is kept costs a screen, from which the output goes on exactly', async () => {
  const id = await fleet.terminal(FLOOD);
  const here = await LiveWatch.open(fleet.laptop.service.url, `terminals=${id}&seq=1`);
  const far = await LiveWatch.open(fleet.there, `terminals=${id}&seq=1`);
  fleet.relay.cut(true);
  await fleet.laptop.api.post(`/api/terminals/${id}/input`, { data: '24\r' });
  await here.until('the end here', () => here.tail.includes(END));
  fleet.relay.heal();
  await far.until('a screen there', () => far.screens > 0 && far.seq === here.seq);
  expect(far.screens).toBe(1);
  const began = [here, far].map(({ text }) => text.length);
  await fleet.laptop.api.post(`/api/terminals/${id}/input`, { data: '0.3\r' });
  const added = () => [here, far].map(({ text }, n) => text.slice(began[n]));
  const isAtEnd = ({ text, tail }: LiveWatch, n: number) =>
    text.length > began[n]! && tail.endsWith(`${END}\r\r\n`);
  await far.until('the second end', () => isAtEnd(far, 1));
  await here.until('the second end', () => isAtEnd(here, 0));
  expect(added()[1]).toBe(added()[0]);
  expect([far.seq, far.screens]).toEqual([here.seq, 1]);
  await Promise.all([here.close(), far.close()]);
});

test('the raw bytes of a program that waits for its reader come exactly, over broken connections', async () => {
  const lines = 60_000;
  const program = `for (let n = 0; n < ${lines}; n++) console.log(n + ' \\x1b[1mäé€\\x1b[m ' + 'x'.repeat(n % 60))`;
  const { body } = await fleet.laptop.api.post<{ id: string }>('/api/terminals', {
    ...{ command: [process.execPath, '-e', program], hold: true },
  });
  const answer = await fetch(`${fleet.there}/terminals/${body.id}/stream?from=start`);
  expect(answer.status).toBe(200);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let cuts = 0;
  for await (const piece of answer.body!) {
    pieces.push(piece);
    bytes += piece.length;
    if (cuts < 3 && bytes > (cuts + 1) * 500_000) {
      cuts++;
      fleet.relay.cut();
    }
  }
  const line = (_: unknown, n: number) => `${n} \x1b[1mäé€\x1b[m ${'x'.repeat(n % 60)}\r\n`;
  const expected = Buffer.from(Array.from({ length: lines }, line).join(''));
  expect([cuts, bytes]).toEqual([3, expected.length]);
  expect(Buffer.concat(pieces).equals(expected)).toBe(true);
});

test('the death of the server between them costs nothing', async () => {
  const id = await fleet.terminal(['cat']);
  const far = await LiveWatch.open(fleet.there, `terminals=${id}&seq=1`);
  const here = await LiveWatch.open(fleet.laptop.service.url, `terminals=${id}&seq=1`);
  const file = await readFile(join(fleet.hub.service.home, 'data/fleet/hub-process.json'), 'utf8');
  process.kill((JSON.parse(file) as { pid: number }).pid, 'SIGKILL');
  for (let n = 0; n < 50; n++)
    await fleet.laptop.api.post(`/api/terminals/${id}/input`, { data: `${n} äé\r` });
  const isAll = (text: string) => text.split('49 äé').length === 3;
  await here.until('the end here', () => isAll(here.text));
  await far.until('the end there', () => isAll(far.text));
  expect([far.text, far.seq, far.screens]).toEqual([here.text, here.seq, 0]);
  await Promise.all([here.close(), far.close()]);
});

test('an owner whose service is killed is watched again as soon as it is back', async () => {
  await online(fleet.hub, fleet.laptop.id);
  const id = await fleet.terminal(['cat']);
  const far = await LiveWatch.open(fleet.there, `terminals=${id}&seq=1`);
  await fleet.laptop.api.post(`/api/terminals/${id}/input`, { data: 'before\r' });
  await far.until('before', () => far.text.includes('before\r\nbefore'));
  await fleet.restartLaptop();
  await far.until('the screen', () => far.screens === 1);
  await fleet.laptop.api.post(`/api/terminals/${id}/input`, { data: 'after\r' });
  await far.until('after', () => far.text.includes('after\r\nafter'));
  await far.close();
});

test('a machine that has connected again stays online when the server notices the end of its earlier connection', async () => {
  const notice = fleet.relay.leave();
  const asked = () => fleet.laptop.api.get(`/api/machines/${fleet.hub.id}/terminals`);
  await eventually('an answer on the next connection', async () => (await asked()).status === 403);
  // The hub has taken all that came before this request: the heartbeats at the beginning of the connection.
  expect(await asked()).toMatchObject({ body: { code: 'not-granted' } });
  const { api } = fleet.hub;
  const own = (await api.post<{ id: string }>('/api/terminals', { command: ['cat'] })).body.id;
  // No heartbeat comes meanwhile, which would show that the machine lives.
  process.kill(fleet.laptop.service.pid, 'SIGSTOP');
  try {
    notice();
    // Ends after a machine whose connection has ended would count as offline, and long before a silent one would.
    await api.post(`/api/terminals/${own}/wait`, { until: 'exit', timeoutMs: 3 * FLEET_CLOSED_MS });
    const alive = { machineId: fleet.laptop.id, online: true };
    expect(await machines(fleet.hub)).toContainEqual(expect.objectContaining(alive));
  } finally {
    process.kill(fleet.laptop.service.pid, 'SIGCONT');
  }
});
