import { describe, expect, test } from 'vitest';
import { DomainError } from '#dist/contract/errors.js';
import { eventually, processInfo } from '../support/processes.js';
import { pidOf, portOf, sidecarRig } from '../support/sidecar-rig.js';
import { takenPort } from '../support/taken-port.js';

describe('a running sidecar', () => {
  test('is a process with our environment and these settings, on the port it found', async () => {
    const rig = await sidecarRig();
    const settings = rig.settings();
    await rig.sidecar.apply(settings);
    expect(await rig.told()).toMatchObject({ env: 'of the rig', orders: [settings] });
    expect(await pidOf(rig)).not.toBe(process.pid);
    expect(rig.sidecar.settings).toEqual({ ...settings, port: portOf(rig) });
    expect(rig.sidecar.restarts).toBe(0);
  });

  test('gets changes, on its port, and only actual changes', async () => {
    const rig = await sidecarRig();
    await rig.sidecar.apply(rig.settings());
    const [pid, port] = [await pidOf(rig), portOf(rig)];
    await rig.sidecar.apply(rig.settings());
    await rig.sidecar.apply({ ...rig.settings(), sessionIdleMs: 2_000 });
    const told = await rig.told();
    expect(told).toMatchObject({ pid, orders: [{ port: 0 }, { port, sessionIdleMs: 2_000 }] });
    expect(told?.orders).toHaveLength(2);
  });

  test('gets changes in their order, however close they come', async () => {
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

  test('is refused to a running sidecar, which goes on as before', async () => {
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

  test('is refused to a sidecar that dies of it: the next one runs as before', async () => {
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

  test('does not wait for an order in progress', async () => {
    const rig = await sidecarRig();
    const starting = rig.sidecar.apply(rig.settings('hang'));
    await eventually('it is on its way', () => rig.sidecar.settings !== undefined);
    await rig.sidecar.stop();
    await starting;
    expect([rig.sidecar.url, rig.log]).toEqual([undefined, []]);
  });
});
