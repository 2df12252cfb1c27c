import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Channel } from '../../src/fleet/channel.js';
import { Everywhere, type EverywhereOptions } from '../../src/fleet/everywhere.js';
import { AgreementKey } from '../../src/fleet/key-agreement.js';
import { RefusalLines } from '../../src/fleet/refusal-lines.js';
import { Roster } from '../../src/fleet/roster.js';
import { needOf } from '../../src/fleet/routes.js';
import { unchecked } from '../../src/fleet/signed.js';
import { ServedStream } from '../../src/fleet/streams/served-stream.js';
import { PACKET, sealPacket } from '../../src/fleet/streams/stream-cipher.js';
import { StreamReceiver } from '../../src/fleet/streams/stream-receiver.js';
import { StreamWindow, WindowRoom } from '../../src/fleet/streams/stream-window.js';
import { passedHeaders } from '../../src/gateway/passed-headers.js';
import { TwoMachines } from '../support/two-machines.js';

const RUN = { method: 'POST', url: '/api/fleet/execute', body: '{"terminalId":"t","command":"x"}' };
const never = new AbortController().signal;

test('a field that a route drops names no terminal for the grants', () => {
  const all = { rights: ['observe'], reach: 'all' };
  const runs = [{ terminalId: 'mine' }];
  expect(needOf('POST', '/api/terminals/wait', { runs, selector: 'role=prod' })?.need).toEqual(all);
  expect(needOf('POST', '/api/terminals/wait', { runs })?.need).toEqual(all);
  expect(needOf('POST', '/api/terminals/batch/run', { runs })?.need).toEqual({
    rights: ['execute'],
    reach: ['mine'],
  });
  const both = { terminalIds: ['mine'], selector: 'role=prod' };
  expect(needOf('POST', '/api/terminals/batch/run', both)?.need.reach).toBe('all');
});

test('a name in a query is read as it is served: none has blanks, or ends at a fragment', () => {
  expect(needOf('GET', '/api/terminals?li\tmit=1', undefined)).toBeUndefined();
  expect(needOf('GET', '/api/terminals?after#=1', undefined)).toBeUndefined();
});

test('a refusal of an earlier start that comes late does not end the second try', async () => {
  const machines = new TwoMachines();
  Object.assign(machines, { knownEpoch: 'first', lateMs: 5, work: () => delay(30) });
  expect(await machines.call(RUN)).toMatchObject({ status: 200 });
  expect(machines.ran).toHaveLength(1);
});

test('a body that is too large, or becomes so where quotes are escaped, is refused at once and not sent', async () => {
  const machines = new TwoMachines();
  const quotes = (count: number) => {
    const body = JSON.stringify({ terminalId: 't', command: '"'.repeat(count) });
    return { ...RUN, body };
  };
  for (const count of [262_100, 300_000])
    await expect(machines.call(quotes(count))).rejects.toMatchObject({ code: 'body-too-large', status: 413 });
  expect(machines.sent).toEqual([]);
  expect(await machines.call(quotes(200_000))).toMatchObject({ status: 200 });
});

test('a client that leaves ends the earlier tries of its request, and not a later one of another', async () => {
  const machines = new TwoMachines();
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  machines.work = (signal) =>
    Promise.race([
      finished,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    ]);
  const first = new AbortController();
  const one = machines.call({ ...RUN, key: 'k' }, first.signal);
  const two = machines.call({ ...RUN, key: 'k' });
  await expect.poll(() => machines.ran.length).toBe(2);
  first.abort(new Error('gone'));
  await expect(one).rejects.toThrow('gone');
  finish();
  expect(await two).toMatchObject({ status: 200 });
});

test('a grant that has ended while a person was asked allows nothing', async () => {
  const machines = new TwoMachines();
  Object.assign(machines.grants[0]!, { ask: 'always', terminals: 'role=test' });
  machines.labels.t = { role: 'test' };
  const answer = machines.call(RUN);
  await expect.poll(() => machines.consents.list().length).toBe(1);
  machines.labels.t = { role: 'prod' };
  machines.consents.decide(machines.consents.list()[0]!.id, 'approved');
  expect(await answer).toMatchObject({ status: 403 });
  expect(machines.ran).toEqual([]);
});

test.each([
  ['/api/terminals/t/input', { data: 'rm x\r' }, 'rm x\r'],
  ['/api/terminals/t/input', { command: 'ls', data: 'rm x\r' }, '{"command":"ls","data":"rm x\\r"}'],
  ['/api/terminals/t/keys', { keys: ['Enter'] }, '{"keys":["Enter"]}'],
  [
    '/api/terminals/t/execute',
    { prompt: 'ls', submissionSignal: '\rrm x\r' },
    '{"prompt":"ls","submissionSignal":"\\rrm x\\r"}',
  ],
  ['/api/fleet/execute', { terminalId: 't', command: 'rm x' }, 'rm x'],
  ['/api/terminals', { profile: 'bash', profileId: 'root' }, '{"profile":"bash","profileId":"root"}'],
])('a person sees all that a request of %s asks for', async (url, body, text) => {
  const machines = new TwoMachines();
  Object.assign(machines.grants[0]!, { ask: 'always', can: ['observe', 'type', 'execute', 'create'] });
  const answer = machines.call({ method: 'POST', url, body: JSON.stringify(body) });
  await expect.poll(() => machines.consents.list().length).toBe(1);
  const asked = machines.consents.list()[0]!;
  expect(asked.text).toBe(text);
  machines.consents.decide(asked.id, 'denied');
  expect(await answer).toMatchObject({ status: 403 });
});

test('what was approved and lost on its way back is not asked about again', async () => {
  const machines = new TwoMachines();
  Object.assign(machines.grants[0]!, { ask: 'always' });
  machines.work = (signal) => delay(200, undefined, { signal });
  const answer = machines.repeats.call(machines.owner.machineId, RUN, never);
  await expect.poll(() => machines.consents.list().length).toBe(1);
  machines.consents.decide(machines.consents.list()[0]!.id, 'approved');
  await expect.poll(() => machines.ran.length).toBe(1);
  machines.calls.lost(machines.owner.machineId);
  expect(await answer).toMatchObject({ status: 200 });
  expect(machines.ran.map(({ key }) => key)).toEqual(['mine.1', 'mine.1']);
});

test('a list that nobody was asked about has no terminal for which somebody must be', async () => {
  const machines = new TwoMachines();
  machines.answer = '{"terminals":[{"id":"mine"},{"id":"secret"}]}';
  const [grant] = machines.grants as [object];
  machines.grants.splice(
    0,
    1,
    { ...grant, terminals: ['mine'] } as never,
    { ...grant, id: 'b', ask: 'always' } as never,
  );
  const { body } = await machines.call({ method: 'GET', url: '/api/terminals' });
  expect(JSON.parse(body.toString())).toEqual({ terminals: [{ id: 'mine' }] });
});

test('a copy of a request makes nobody believe that it was not taken', async () => {
  const machines = new TwoMachines();
  await machines.call(RUN);
  machines.hub = (data, replyTo) => {
    machines.hub = (again) => machines.deliver(again);
    const other = Channel.ofSender(new AgreementKey(), new AgreementKey().publicKey)!;
    machines.deliver(other.seal('call', unchecked(data) as object), replyTo);
    machines.deliver(data);
  };
  await expect(machines.call(RUN)).rejects.toMatchObject({ code: 'fleet-outcome-unknown' });
});

test('a retry is never told of a busy machine that an earlier try is at work on', async () => {
  const machines = new TwoMachines();
  machines.work = (signal) => delay(300, undefined, { signal });
  const { machineId } = machines.owner;
  const all = Array.from({ length: 40 }, () => machines.repeats.call(machineId, RUN, never));
  await expect.poll(() => machines.ran.length).toBe(40);
  machines.calls.lost(machineId);
  expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([200]));
});

test('a machine that has as many requests in work as are taken is told so', async () => {
  const machines = new TwoMachines();
  machines.work = (signal) => delay(300, undefined, { signal });
  const { machineId } = machines.owner;
  const all = Array.from({ length: 65 }, () => machines.repeats.call(machineId, RUN, never));
  const refused = (await Promise.all(all)).filter(({ status }) => status === 503);
  expect(refused.length).toBe(1);
  expect(refused[0]!.body.toString()).toContain('64 requests of this machine are in work there');
});

test('a client that leaves a run on all machines ends nothing but the run', async () => {
  const client = new AbortController();
  const hang = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const selected = [{ machineId: 'm_1', deviceName: 'x', terminalIds: ['t'] }];
  const call: EverywhereOptions['call'] = (_machineId, _request, signal) => {
    setImmediate(() => client.abort(new Error('gone')));
    return hang(signal);
  };
  const everywhere = new Everywhere({ call } as unknown as EverywhereOptions);
  const body = { machines: 'all', selector: {}, command: 'x' } as never;
  const run = everywhere.run(body, selected, hang(client.signal), undefined, client.signal);
  // vitest fails a test for an unhandled rejection.
  await expect(run).rejects.toThrow('gone');
});

test.each(['<html>', 'null'])(
  'a machine that answers %s is told of, and the others are found',
  async (text) => {
    const list = () =>
      ['m_bad', 'm_good'].map((machineId) => ({ machineId, deviceName: machineId, online: true }));
    const body = (id: string) => Buffer.from(id === 'm_bad' ? text : '{"terminals":[{"id":"t","name":"t"}]}');
    const call = async (id: string) => ({ status: 200, headers: {}, body: body(id) });
    const roster = new Roster({ list, call } as never);
    const { terminals, unasked } = await roster.terminals(never);
    expect(terminals).toMatchObject([{ id: 't', machineId: 'm_good' }]);
    expect(unasked).toMatchObject([{ machineId: 'm_bad', code: 'fleet-protocol' }]);
  },
);

test('a follower that asks again and again for what was lost gets it once in a while', () => {
  let bytes = 0;
  const keys = { owner: randomBytes(32), follower: randomBytes(32) };
  const stream = new ServedStream({
    ...{ keys, refusal: () => undefined, free: () => undefined, onOver: () => undefined },
    transmit: (packet) => {
      bytes += packet.length;
    },
    window: new StreamWindow(new WindowRoom()),
  });
  let number = 0;
  const want = (isLost: boolean) => {
    const content = { next: 0, limit: 1 << 20, isLost, asks: false, isClosed: false };
    stream.onPacket(sealPacket(keys.follower, PACKET.want, number++, [Buffer.from(JSON.stringify(content))]));
  };
  want(false);
  stream.send(1, new Uint8Array(2 << 20), () => undefined);
  const once = bytes;
  for (let count = 0; count < 200; count++) want(true);
  // This holds however slow the machine is.
  expect(bytes).toBeLessThan(20 * once);
  stream.close();
});

test('parts without bytes end a stream', () => {
  const receiver = new StreamReceiver(
    () => undefined,
    () => undefined,
  );
  expect(receiver.take(0, false, new Uint8Array())).toBe('broken');
});

test('only headers that a machine may send pass, as text that can be written', () => {
  const headers = { 'content-type': 'text/plain', 'x bad': '1', 'set-cookie': 'a=b', 'retry-after': '1\n' };
  expect(passedHeaders(headers)).toEqual({ 'content-type': 'text/plain' });
});

test('of one machine no more refused requests are written down than the log has room for', () => {
  const lines = new RefusalLines();
  const admitted = (machineId: string) =>
    Array.from({ length: 1_000 }, () => lines.admit(machineId)).filter(Boolean).length;
  expect(admitted('m_1')).toBeLessThan(100);
  expect(admitted('m_2')).toBeGreaterThanOrEqual(60);
});
