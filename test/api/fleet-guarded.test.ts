import { afterAll, beforeAll, expect, test } from 'vitest';
import { Verb } from '#dist/contract/access.js';
import { type FleetMachine, grant, makeHub, pair, startMachine } from '../support/fleet.js';
import { type Guarded, guard } from '../support/guarded.js';

let hub: FleetMachine;
let laptop: FleetMachine;
/** Clients of the hub and the laptop, with the services' own tokens. */
let here: Guarded;
let there: Guarded;
let terminalId: string;

beforeAll(async () => {
  [hub, laptop] = await Promise.all([startMachine(), startMachine()]);
  await makeHub(hub);
  await pair(hub, laptop);
  await grant(laptop, hub, { can: ['observe', 'execute'] });
  [here, there] = await Promise.all([guard(hub.service), guard(laptop.service)]);
  terminalId = await there.open();
});
afterAll(() => Promise.all([hub, laptop].map((each) => each?.service.stop())));

test('a machine is held to its grants, and asked for no token of the machine there', async () => {
  const path = `/api/machines/${laptop.id}/terminals/${terminalId}`;
  expect(await here.send(here.own, 'GET', path)).toMatchObject({ status: 200, body: { id: terminalId } });
  expect(await here.send(here.own, 'DELETE', path)).toMatchObject({
    ...{ status: 403, body: { code: 'not-granted', needs: 'close' } },
  });
});

test('a token that is bound to some terminals learns nothing of other machines', async () => {
  const names = async (token: string) => {
    const { body } = await here.send(token, 'GET', '/api/fleet/machines');
    return body.machines.map(({ machineId }: { machineId: string }) => machineId);
  };
  expect(await names((await here.make(['read'])).token)).toEqual(['self', laptop.id]);
  const { token } = await here.make(['read'], { selector: 'team=a' });
  expect(await names(token)).toEqual(['self']);
  expect((await here.send(token, 'GET', '/api/fleet/status')).body.code).toBe('outside-scope');
});

test('only a token with admin reaches another machine', async () => {
  const requests: [string, string, object?][] = [
    ['GET', `/api/machines/${laptop.id}/terminals`],
    ['POST', '/api/fleet/execute', { command: 'true', terminalId, machineId: laptop.id }],
    ['POST', '/api/fleet/screen', { terminalId, machineId: laptop.id }],
    ['POST', '/api/fleet/close', { terminalId, machineId: laptop.id }],
  ];
  const others = Verb.options.filter((verb) => verb !== 'admin');
  const without = await here.make(others);
  for (const [method, path, body] of requests) {
    const { status, body: refusal } = await here.send(without.token, method, path, body);
    expect([path, status, refusal.code]).toEqual([path, 403, 'verb-missing']);
  }
  const admin = await here.make(['admin']);
  const listed = await here.send(admin.token, 'GET', `/api/machines/${laptop.id}/terminals`);
  expect(listed).toMatchObject({ status: 200, body: { terminals: [{ id: terminalId }] } });
  const own = await here.send(without.token, 'GET', '/api/machines/self/terminals');
  expect(own).toMatchObject({ status: 200, body: { terminals: [] } });
});
