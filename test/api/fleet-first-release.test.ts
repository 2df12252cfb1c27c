import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FleetTerminal } from '#dist/contract/fleet.js';
import { FirstMachine, type FirstRequest } from '../fixtures/fleet/machine-1.mjs';
import {
  type FleetMachine,
  grant,
  invite,
  machines,
  makeHub,
  online,
  startMachine,
} from '../support/fleet.js';
import { eventually } from '../support/processes.js';

/** A machine of the first release, in a fleet of this release. */
let first: FirstMachine;
let hub: FleetMachine;
const asked: (FirstRequest & { from: string })[] = [];

beforeAll(async () => {
  hub = await startMachine();
  await makeHub(hub);
  first = await FirstMachine.join((await invite(hub, { confirmed: true })).code, 'old');
  await online(hub, first.id);
  await grant(hub, { ...hub, id: first.id }, { can: ['observe', 'type', 'execute'] });
});
afterAll(async () => {
  await first?.close();
  await hub?.service.stop();
});

/** A message of output on the live stream. */
interface LiveOutput {
  event: { data: { content: string } };
}

const TERMINAL = { id: 'term_old', name: 'far' };

test('is listed with what it says of itself, and its terminals with those of others', async () => {
  first.serve = (from, request) => {
    asked.push({ ...request, from });
    return { status: 200, body: { terminals: [TERMINAL], count: 1 } };
  };
  expect((await machines(hub)).find(({ machineId }) => machineId === first.id)).toMatchObject({
    ...{ deviceName: 'old', os: 'linux', online: true },
  });
  const { body } = await hub.api.get<{ terminals: FleetTerminal[] }>('/api/fleet/terminals');
  expect(body.terminals).toMatchObject([{ id: TERMINAL.id, title: TERMINAL.name, machineId: first.id }]);
  expect(asked).toMatchObject([{ from: hub.id, method: 'GET', url: '/api/terminals' }]);
});

test('gets requests with their key and body, and its answers and refusals come back', async () => {
  first.serve = (_from, { key, body = '' }) => ({
    status: 200,
    body: { key, was: JSON.parse(body) as object },
  });
  const path = `/api/machines/${first.id}/terminals/${TERMINAL.id}/input`;
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'mine' };
  const answer = await hub.api.raw({ method: 'POST', path, headers, body: '{"data":"ä"}' });
  expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { key: 'mine', was: { data: 'ä' } }]);
  first.serve = () => ({ status: 403, body: { error: 'not granted', code: 'not-granted', needs: 'type' } });
  expect(await hub.api.get(`/api/machines/${first.id}/terminals`)).toMatchObject({
    ...{ status: 403, body: { code: 'not-granted', needs: 'type' } },
  });
});

test('asks this release: what it is granted is answered, a run once, and nothing else', async () => {
  const { id } = (await hub.api.post<{ id: string }>('/api/terminals', {})).body;
  expect(await first.call(hub.id, { method: 'GET', url: `/api/terminals/${id}` })).toMatchObject({
    ...{ status: 200, body: { id } },
  });
  const body = JSON.stringify({ terminalId: id, command: 'echo once; (exit 3)' });
  const run = { method: 'POST', url: '/api/fleet/execute', key: 'run', body };
  const done = await first.call(hub.id, run);
  expect(done).toMatchObject({ status: 200, body: { done: true, exitCode: 3 } });
  expect((await first.call(hub.id, run)).body).toEqual(done.body);
  expect(await first.call(hub.id, { method: 'GET', url: '/api/settings' })).toMatchObject({ status: 403 });
});

test('follows a terminal of this release, with all that is printed', async () => {
  const lines = 40_000;
  const command = [
    'sh',
    '-c',
    `read go; i=0; while [ $i -lt ${lines} ]; do i=$((i+1)); echo line $i; done; cat`,
  ];
  const { id } = (await hub.api.post<{ id: string }>('/api/terminals', { command })).body;
  let text = '';
  const stream = await first.follow(hub.id, `/api/terminals/${id}/live`, {
    onMessage: (kind, bytes) => {
      // Kind 1 is output; kind 3 is a screen that replaces the output before it.
      if (kind === 1) text += (JSON.parse(bytes.toString()) as LiveOutput).event.data.content;
      else if (kind === 3) text = '';
    },
  });
  if (!('wish' in stream)) throw new Error(JSON.stringify(stream));
  stream.wish({ screens: 0, version: 0, clients: [] });
  const input = JSON.stringify({ data: 'go\r' });
  const typed = { method: 'POST', url: `/api/terminals/${id}/input`, body: input };
  expect((await first.call(hub.id, typed)).status).toBe(200);
  await eventually('the last line', async () => text.endsWith(`line ${lines}\r\n`));
  const seen = [...text.matchAll(/line (\d+)\r\n/g)].map(([, n]) => Number(n));
  expect(seen).toEqual(Array.from({ length: seen.length }, (_, n) => lines - seen.length + 1 + n));
  stream.close();
});

test('serves a stream of more than a window to this release', async () => {
  const body = Array.from({ length: 60 }, (_, n) => Buffer.alloc(80_000, String.fromCharCode(65 + (n % 26))));
  const head = { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } };
  first.serve = (_from, { method }) => {
    if (method !== 'STREAM') return { status: 404, body: {} };
    const message = (kind: number, content: Buffer) => Buffer.concat([Buffer.from([kind]), content]);
    return {
      pieces: [
        message(1, Buffer.from(JSON.stringify(head))),
        ...body.map((each) => message(2, each)),
        message(3, Buffer.alloc(0)),
      ],
    };
  };
  const answer = await fetch(`${hub.service.url}/api/machines/${first.id}/terminals/${TERMINAL.id}/stream`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, head.headers['content-type']]);
  expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.concat(body))).toBe(true);
});

test('leaves', async () => {
  await first.leave();
  await eventually('it has left', async () => (await machines(hub)).length === 1);
});
