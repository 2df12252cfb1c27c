import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DomainError } from '#dist/contract/errors.js';
import { eventually, processInfo } from '../support/processes.js';
import { type SidecarRig, sidecarRig } from '../support/sidecar-rig.js';

/** A port that somebody else has for the time of the test. */
async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const portOf = ({ sidecar }: SidecarRig) => Number(new URL(sidecar.url ?? '').port);

/** The process that listens; fails where none does. */
async function pidOf(rig: SidecarRig): Promise<number> {
  const told = await rig.told();
  if (!told) throw new Error('nobody listens');
  return told.pid;
}

/** Kills the child, and resolves once another one listens. */
async function replace(rig: SidecarRig): Promise<void> {
  const before = await pidOf(rig);
  process.kill(before, 'SIGKILL');
  await eventually('another child listens', async () => {
    const told = await rig.told();
    return told !== undefined && told.pid !== before;
  });
}

const levels = ({ log }: SidecarRig) => log.map(({ level }) => level);
const WARN = 40;
const ERROR = 50;

describe('a sidecar that runs', () => {
  test('is a process with our environment that was told the settings, on the port it found', async () => {
    const rig = await sidecarRig();
    const settings = rig.settings();
    await rig.sidecar.apply(settings);
    expect(await rig.told()).toMatchObject({ env: 'of the rig', orders: [settings] });
    expect(await pidOf(rig)).not.toBe(process.pid);
    expect(rig.sidecar.settings).toEqual({ ...settings, port: portOf(rig) });
    expect(rig.sidecar.restarts).toBe(0);
  });

  test('is told what changes, on the port that it has, and nothing that does not', async () => {
    const rig = await sidecarRig();
    await rig.sidecar.apply(rig.settings());
    const [pid, port] = [await pidOf(rig), portOf(rig)];
    await rig.sidecar.apply(rig.settings());
    await rig.sidecar.apply({ ...rig.settings(), sessionIdleMs: 2_000 });
    const told = await rig.told();
    expect(told).toMatchObject({ pid, orders: [{ port: 0 }, { port, sessionIdleMs: 2_000 }] });
    expect(told?.orders).toHaveLength(2);
  });

  test('is told changes in their order, however close they come', async () => {
    const rig = await sidecarRig();
    const idle = [1_000, 2_000, 3_000, 4_000];
    await Promise.all(idle.map((sessionIdleMs) => rig.sidecar.apply({ ...rig.settings(), sessionIdleMs })));
    expect((await rig.told())?.orders.map(({ sessionIdleMs }) => sessionIdleMs)).toEqual(idle);
  });

  test('ends when it is off, and is another process when it is on again', async () => {
    const rig = await sidecarRig();
    await rig.sidecar.apply(rig.settings());
    const first = await pidOf(rig);
    await rig.sidecar.apply(undefined);
    expect([processInfo(first), rig.sidecar.url, rig.sidecar.settings]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await rig.sidecar.apply(rig.settings());
    expect(await pidOf(rig)).not.toBe(first);
    expect([rig.sidecar.restarts, rig.log]).toEqual([0, []]);
  });
});

describe('a taken port', () => {
  test('is refused at the start, and no process stays', async () => {
    const rig = await sidecarRig();
    const port = await takenPort();
    const refused = rig.sidecar.apply({ ...rig.settings(), port });
    await expect(refused).rejects.toThrow(DomainError);
    await expect(refused).rejects.toMatchObject({ code: 'port-taken' });
    expect([rig.sidecar.url, rig.sidecar.settings]).toEqual([undefined, undefined]);
    await rig.sidecar.apply(rig.settings());
    expect((await rig.told())?.orders).toHaveLength(1);
  });

  test('is refused to one that runs, which goes on as before', async () => {
    const rig = await sidecarRig();
    await rig.sidecar.apply(rig.settings());
    const [before, pid] = [rig.sidecar.settings, await pidOf(rig)];
    const port = await takenPort();
    await expect(rig.sidecar.apply({ ...rig.settings(), port })).rejects.toMatchObject({
      code: 'port-taken',
    });
    expect(rig.sidecar.settings).toEqual(before);
    expect(await pidOf(rig)).toBe(pid);
  });

  test('is refused to one that dies over it: the next one runs as before', async () => {
    const rig = await sidecarRig();
    await rig.sidecar.apply(rig.settings());
    const [before, pid] = [rig.sidecar.settings, await pidOf(rig)];
    const wanted = { ...rig.settings('die', true), port: await takenPort() };
    await expect(rig.sidecar.apply(wanted)).rejects.toMatchObject({ code: 'port-taken' });
    await eventually('it listens again', async () => (await rig.told()) !== undefined);
    expect(rig.sidecar.settings).toEqual(before);
    expect(await pidOf(rig)).not.toBe(pid);
    expect(portOf(rig)).toBe(before?.port);
  });
});

describe('a sidecar that ends', () => {
  test('is started again with the settings that hold by now, on the port that it had', async () => {
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
    'over an order (%s) leaves the order to the next one',
    async (fault) => {
      const rig = await sidecarRig(fault === 'hang' ? 1_000 : undefined);
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

  test('each time is given up after five; a change tries again, the same settings do not', async () => {
    const rig = await sidecarRig();
    await rig.sidecar.apply(rig.settings('die'));
    expect([rig.sidecar.url, rig.sidecar.restarts]).toEqual([undefined, 5]);
    expect(levels(rig)).toEqual([...Array(5).fill(WARN), ERROR]);
    expect(rig.log.at(-1)?.err?.message).toBe('it ended with exit code 3');
    await rig.sidecar.apply(rig.settings('die'));
    expect([rig.sidecar.url, rig.sidecar.restarts]).toEqual([undefined, 5]);
    await rig.sidecar.apply(rig.settings());
    expect((await rig.told())?.orders).toHaveLength(1);
  });

  test('killed over and over: five others follow, and then none', async () => {
    const rig = await sidecarRig();
    await rig.sidecar.apply(rig.settings());
    for (let time = 1; time <= 5; time++) await replace(rig);
    process.kill(await pidOf(rig), 'SIGKILL');
    await eventually('it is given up', () => levels(rig).includes(ERROR));
    expect([rig.sidecar.url, rig.sidecar.restarts]).toEqual([undefined, 5]);
  });

  test('whose port has gone to somebody else is given up, not moved', async () => {
    const rig = await sidecarRig();
    await rig.sidecar.apply(rig.settings());
    const [port, pid] = [portOf(rig), await pidOf(rig)];
    process.kill(pid, 'SIGKILL');
    // With no turn of the loop between: its supervisor, which is in this process, hears of the death only after.
    while (processInfo(pid)?.state !== 'Z' || readdirSync(`/proc/${pid}/task`).length > 1);
    const thief = createServer().listen(port, '127.0.0.1');
    onTestFinished(() => void thief.close());
    await once(thief, 'listening');
    await eventually('it is given up', () => levels(rig).includes(ERROR));
    expect(rig.sidecar.url).toBeUndefined();
  });
});

describe('stopping', () => {
  test.each(['', 'linger'])('leaves no process (%j), and nothing starts it again', async (fault) => {
    const rig = await sidecarRig();
    await rig.sidecar.apply(rig.settings(fault));
    const pid = await pidOf(rig);
    await rig.sidecar.stop();
    expect(processInfo(pid)).toBeUndefined();
    await expect(rig.sidecar.apply(rig.settings())).rejects.toMatchObject({ code: 'shutting-down' });
    expect([rig.sidecar.url, rig.log]).toEqual([undefined, []]);
  });

  test('does not wait for an order that is on its way', async () => {
    const rig = await sidecarRig();
    const starting = rig.sidecar.apply(rig.settings('hang'));
    await eventually('it is on its way', () => rig.sidecar.settings !== undefined);
    await rig.sidecar.stop();
    await starting;
    expect([rig.sidecar.url, rig.log]).toEqual([undefined, []]);
  });
});
