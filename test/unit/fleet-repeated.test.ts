import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TwoMachines } from '../support/two-machines.js';

const RUN = { method: 'POST', url: '/api/fleet/execute', body: '{"terminalId":"t","command":"x"}' };
const never = new AbortController().signal;

test('an approval holds for no repetition that would be done again', async () => {
  const machines = new TwoMachines();
  Object.assign(machines.grants[0]!, { ask: 'always', can: ['observe', 'close'] });
  const signal = { method: 'POST', url: '/api/terminals/t/signal', body: '{"signal":"INT"}' };
  for (const request of [signal, { method: 'GET', url: '/api/terminals/t/output' }])
    for (const _ of [1, 2]) {
      const answer = machines.call({ ...request, key: 'same' });
      await expect.poll(() => machines.consents.list().length).toBe(1);
      machines.consents.decide(machines.consents.list()[0]!.id, 'approved');
      expect(await answer).toMatchObject({ status: 200 });
    }
});

test('a machine that allows a lost request no longer makes nobody believe that it was not done', async () => {
  const machines = new TwoMachines();
  machines.work = (signal) => delay(200, undefined, { signal });
  const answer = machines.repeats.call(machines.owner.machineId, { ...RUN, key: 'mine' }, never);
  await expect.poll(() => machines.ran.length).toBe(1);
  machines.grants.splice(0);
  machines.calls.lost(machines.owner.machineId);
  await expect(answer).rejects.toMatchObject({ code: 'fleet-outcome-unknown', details: { key: 'mine' } });
  expect(machines.ran.length).toBe(1);
});

test('a machine cancels its run while it may run commands in the terminals of the run, and no others', async () => {
  const machines = new TwoMachines();
  machines.run = { machineId: machines.asking.machineId, terminalIds: ['t'] };
  machines.grants[0]!.terminals = ['other'];
  const cancel = { method: 'POST', url: '/api/runs/run_1/cancel' };
  expect(await machines.call({ method: 'GET', url: '/api/runs/run_1' })).toMatchObject({ status: 200 });
  expect(await machines.call(cancel)).toMatchObject({ status: 403 });
  machines.grants[0]!.terminals = ['t'];
  expect(await machines.call(cancel)).toMatchObject({ status: 200 });
  machines.run.machineId = 'm_another';
  expect(await machines.call(cancel)).toMatchObject({ status: 403 });
});

test('a request that nobody was asked about ends with the grant that allowed it, though another one asks', async () => {
  const machines = new TwoMachines();
  machines.grants.push({ ...machines.grants[0]!, id: 'b', ask: 'always' });
  machines.work = (signal) => delay(300, undefined, { signal });
  const answer = machines.call(RUN);
  await expect.poll(() => machines.ran.length).toBe(1);
  machines.grants.shift();
  expect(await answer).toMatchObject({ status: 403 });
  expect(machines.consents.list()).toEqual([]);
});
