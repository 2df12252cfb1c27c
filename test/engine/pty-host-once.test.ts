import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually, processInfo } from '../support/processes.js';
import { type Collector, Rig } from './pty-host-rig.js';

/** Short, since calls to a stopped host last as long; all others must be answered in this time. */
const CALL_DEADLINE_MS = 2_000;

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start({ callDeadlineMs: CALL_DEADLINE_MS });
});
afterEach(() => rig.end());

/** Runs a program that shows typed input byte by byte. */
async function runEcho() {
  const running = await rig.run('stty raw -echo; printf up; exec cat');
  await running.sink.until('up', () => running.sink.text === 'up');
  return running;
}

/** Stops the host during `work`; the host reads nothing before it resumes. */
async function whileStopped<Result>(work: () => Promise<Result>): Promise<Result> {
  const { hostPid } = rig.host;
  process.kill(hostPid, 'SIGSTOP');
  try {
    await eventually('the host has stopped', () => processInfo(hostPid)?.state === 'T');
    return await work();
  } finally {
    process.kill(hostPid, 'SIGCONT');
  }
}

/** Resolves with the error of a failed call; undefined if the call succeeds. */
async function faultOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const unknown = expect.objectContaining({ code: 'outcome-unknown', status: 503 });

/** Types `END`, and resolves with the output up to its echo. */
async function typedInto({ handle, sink }: { handle: number; sink: Collector }): Promise<string> {
  await rig.host.type(handle, [{ data: 'END' }]);
  await sink.until('END', () => sink.text.endsWith('END'));
  return sink.text;
}

describe('an operation with an id', () => {
  test('is typed once, by this service or the next', async () => {
    const one = await runEcho();
    const two = await runEcho();
    expect(await rig.host.type(one.handle, [{ data: 'a' }], 'op')).toBe(false);
    expect(await rig.host.type(one.handle, [{ data: 'a' }], 'op')).toBe(true);
    const all = await rig.host.typeAll([one.handle, two.handle, 4_000_000], [{ data: 'a' }], 'op');
    expect([[...all.repeated], [...all.failures.keys()]]).toEqual([[0], [2]]);
    rig.host.close();
    await eventually('the place is free', async () => (await faultOf(rig.reconnect())) === undefined);
    expect(await rig.host.type(two.handle, [{ data: 'a' }], 'op')).toBe(true);
    expect(await rig.host.wasTyped(one.handle, 'op')).toBe(true);
    expect(await rig.host.wasTyped(one.handle, 'other')).toBe(false);
    for (const running of [one, two]) running.sink.attach(rig.host, running.handle);
    for (const running of [one, two]) expect(await typedInto(running)).toMatch(/upaEND$/);
  });

  test('that was refused may be typed later', async () => {
    const { handle } = await rig.run('stty raw -echo; exec sleep 100');
    const tooMuch = [{ data: 'x'.repeat(1_100_000) }];
    expect(await faultOf(rig.host.type(handle, tooMuch, 'op'))).toMatchObject({ code: 'input-buffer-full' });
    expect(await rig.host.wasTyped(handle, 'op')).toBe(false);
    expect(await rig.host.type(handle, [{ data: 'x' }], 'op')).toBe(false);
  });
});

describe('a call given up while the host was stopped', () => {
  test('is never typed once the host resumes', async () => {
    const running = await runEcho();
    await whileStopped(async () => {
      const calls = [
        rig.host.type(running.handle, [{ data: 'late' }]),
        rig.host.type(running.handle, [{ data: 'late' }], 'op'),
        rig.host.typeAll([running.handle], [{ data: 'late' }]),
      ];
      for (const call of calls) expect(await faultOf(call)).toEqual(unknown);
    });
    expect(await typedInto(running)).toBe('upEND');
  });

  test('is typed once by a retry with its id, which waits for the host', async () => {
    const running = await runEcho();
    const type = () => rig.host.type(running.handle, [{ data: 'once' }], 'op');
    const retry = await whileStopped(async () => {
      expect(await faultOf(type())).toEqual(unknown);
      return { done: faultOf(type()) };
    });
    await retry.done;
    // On a slow machine the first retry was given up too, and its result says so.
    await type();
    expect(await typedInto(running)).toBe('uponceEND');
  });

  test('starts no program, and a retry finds the terminal that it asks for', async () => {
    const id = 'term_000000000001';
    const spawn = () => rig.host.spawn({ ...rig.program('/bin/sleep', ['100']), id });
    await whileStopped(async () => expect(await faultOf(spawn())).toEqual(unknown));
    expect(await rig.host.list()).toEqual([]);
    const first = await spawn();
    expect(await spawn()).toEqual({ ...first, meta: '' });
    expect(await rig.host.list()).toHaveLength(1);
  });

  test('that was executed is found by a retry', async () => {
    const running = await runEcho();
    // The answer is lost, because the connection ends as it does with the service.
    const call = faultOf(rig.host.type(running.handle, [{ data: 'once' }], 'op'));
    rig.host.close();
    const fault = await call;
    if (fault !== undefined) expect(fault).toEqual(unknown);
    await eventually('the place is free', async () => (await faultOf(rig.reconnect())) === undefined);
    await rig.host.type(running.handle, [{ data: 'once' }], 'op');
    running.sink.attach(rig.host, running.handle);
    expect(await typedInto(running)).toMatch(/uponceEND$/);
  });
});
