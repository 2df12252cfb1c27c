import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.js';
import { eventually, processInfo } from '../support/processes.js';
import { pidOf, portOf, type SidecarRig, sidecarRig } from '../support/sidecar-rig.js';

/** As many restarts as the service allows, with no time between them. */
const QUICK = { restarts: 5, withinMs: 60_000, retryMs: 60_000 };

/** Kills the child, and resolves once another child listens. */
async function replace(rig: SidecarRig): Promise<void> {
  const before = await pidOf(rig);
  process.kill(before, 'SIGKILL');
  await eventually('another child listens', async () => {
    const told = await rig.told();
    return told !== undefined && told.pid !== before;
  });
}

const levels = ({ log }: SidecarRig) => log.map(({ level }) => level);
const INFO = 30;
const WARN = 40;
const ERROR = 50;

describe('a sidecar that ends', () => {
  test('is started again with the current settings, on its former port', async () => {
    const rig = await sidecarRig();
    await rig.sidecar.apply(rig.settings());
    await rig.sidecar.apply({ ...rig.settings(), sessionIdleMs: 7_000 });
    const port = portOf(rig);
    await replace(rig);
    expect((await rig.told())?.orders).toEqual([{ ...rig.settings(), port, sessionIdleMs: 7_000 }]);
    expect([portOf(rig), rig.sidecar.restarts, levels(rig)]).toEqual([port, 1, [WARN]]);
    expect(rig.log[0]?.err?.message).toBe('it was ended by SIGKILL');
  });

  test.each(['die', 'babble', 'let-go', 'refuse', 'hang'])(
    'on an order (%s) leaves the order to its successor',
    async (fault) => {
      const rig = await sidecarRig(fault === 'hang' ? { answerMs: 5_000 } : {});
      await rig.sidecar.apply(rig.settings());
      const [pid, port] = [await pidOf(rig), portOf(rig)];
      const wanted = rig.settings(fault, true);
      await rig.sidecar.apply(wanted);
      const told = await rig.told();
      expect(told?.orders).toEqual([{ ...wanted, port }]);
      expect(told?.pid).not.toBe(pid);
      expect(processInfo(pid)).toBeUndefined();
      expect([rig.sidecar.restarts, levels(rig)]).toEqual([1, [WARN]]);
    },
  );

  test('on an order, twice, is started later; the change holds', async () => {
    const rig = await sidecarRig({ budget: { ...QUICK, delaysMs: [0, 200] } });
    await rig.sidecar.apply(rig.settings());
    await rig.sidecar.apply(rig.settings('die'));
    expect([rig.sidecar.url, rig.sidecar.settings?.token]).toEqual([undefined, 'die']);
    expect(levels(rig)).toEqual([WARN, WARN]);
    await eventually('it has gone on', () => rig.sidecar.restarts >= 2);
  });

  test('each time is given up after five; a change tries again at once, the same settings do not', async () => {
    const rig = await sidecarRig({ budget: QUICK });
    await rig.sidecar.apply(rig.settings('die'));
    await eventually('it is given up', () => levels(rig).includes(ERROR));
    expect([rig.sidecar.url, rig.sidecar.restarts]).toEqual([undefined, 5]);
    expect(levels(rig)).toEqual([...Array(5).fill(WARN), ERROR]);
    expect(rig.log.at(-1)?.err?.message).toBe('it ended with exit code 3');
    await rig.sidecar.apply(rig.settings('die'));
    expect([rig.sidecar.url, rig.sidecar.restarts]).toEqual([undefined, 5]);
    await rig.sidecar.apply(rig.settings());
    expect((await rig.told())?.orders).toHaveLength(1);
    expect(rig.log.at(-1)).toMatchObject({ level: INFO, msg: 'the tool server listens again' });
  });

  test('and is given up is tried again, silently until it listens', async () => {
    const rig = await sidecarRig({ budget: { ...QUICK, restarts: 1, retryMs: 100 } });
    await rig.sidecar.apply(rig.settings('die'));
    await eventually('it is tried and given up again', () => rig.sidecar.restarts >= 4);
    expect(levels(rig)).toEqual([WARN, ERROR]);
    await rig.sidecar.apply(rig.settings());
    expect(levels(rig)).toEqual([WARN, ERROR, INFO]);
  });

  test('and is given up listens again by itself once it can', async () => {
    const rig = await sidecarRig({ budget: { ...QUICK, restarts: 0, retryMs: 100 } });
    await rig.sidecar.apply(rig.settings('die', true));
    expect(levels(rig)).toEqual([ERROR]);
    await eventually('it listens', async () => (await rig.told()) !== undefined);
    expect([levels(rig), rig.sidecar.restarts]).toEqual([[ERROR, INFO], 1]);
  });

  test('killed over and over has five successors, and then none', async () => {
    const rig = await sidecarRig({ budget: QUICK });
    await rig.sidecar.apply(rig.settings());
    for (let time = 1; time <= 5; time++) await replace(rig);
    process.kill(await pidOf(rig), 'SIGKILL');
    await eventually('it is given up', () => levels(rig).includes(ERROR));
    expect([rig.sidecar.url, rig.sidecar.restarts]).toEqual([undefined, 5]);
  });

  test('before it began, since it cannot be forked, counts as ended', async () => {
    const rig = await sidecarRig({ budget: QUICK, env: { BIG: 'x'.repeat(1 << 20) } });
    await rig.sidecar.apply(rig.settings());
    await eventually('it is given up', () => levels(rig).includes(ERROR));
    expect(rig.log.map(({ err }) => err?.message)).toEqual(Array(6).fill(expect.stringContaining('E2BIG')));
  });
});

describe('a port that another process took while the sidecar was down', () => {
  /** Starts a sidecar, kills its process, and has another server take its port before the next process starts. */
  async function robbed() {
    const rig = await sidecarRig();
    await rig.sidecar.apply(rig.settings());
    const [port, pid] = [portOf(rig), await pidOf(rig)];
    process.kill(pid, 'SIGKILL');
    // Waits without a turn of the loop, so that the supervisor, in this process, notices the death only afterwards.
    while (processInfo(pid)?.state !== 'Z' || readdirSync(`/proc/${pid}/task`).length > 1);
    const thief = createServer().listen(port, '127.0.0.1');
    onTestFinished(() => void thief.close());
    await once(thief, 'listening');
    await eventually('it waits for its port', () => levels(rig).length === 2);
    return { rig, port, thief };
  }

  test('is waited for; that is no death, and is logged once', async () => {
    const { rig, port, thief } = await robbed();
    expect([rig.sidecar.url, rig.sidecar.restarts]).toEqual([undefined, 1]);
    thief.close();
    await eventually('it listens again', async () => (await rig.told()) !== undefined);
    expect([portOf(rig), rig.sidecar.restarts, levels(rig)]).toEqual([port, 1, [WARN, WARN, INFO]]);
    // The sidecar was asked at least twice, and is one process.
    expect((await rig.told())!.orders.length).toBeGreaterThan(1);
  });

  test('does not keep a change of other settings from holding', async () => {
    const { rig, thief } = await robbed();
    await rig.sidecar.apply({ ...rig.settings(), sessionIdleMs: 7_000 });
    expect(rig.sidecar.settings?.sessionIdleMs).toBe(7_000);
    thief.close();
    await eventually('it listens again', async () => (await rig.told()) !== undefined);
    expect((await rig.told())?.orders.at(-1)?.sessionIdleMs).toBe(7_000);
  });

  test('is given up for another port, which is listened on at once', async () => {
    const { rig, port } = await robbed();
    await rig.sidecar.apply({ ...rig.settings(), port: await freePort() });
    expect(portOf(rig)).not.toBe(port);
    expect(await rig.told()).toBeDefined();
    await expect(rig.sidecar.apply({ ...rig.settings(), port })).rejects.toMatchObject({
      code: 'port-taken',
    });
    expect(await rig.told()).toBeDefined();
  });
});
