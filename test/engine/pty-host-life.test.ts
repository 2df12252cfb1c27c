import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HOST_PROTOCOLS } from '#dist/contract/host-greeting.js';
import { Frame } from '#dist/contract/host-protocol.js';
import { VERSION } from '#dist/contract/version.js';
import { HostBusy, type HostConnection, HostUnreachable } from '#dist/workers/pty-host/client/host-client.js';
import { encodeFrame, encodeJson, FrameDecoder } from '#dist/workers/pty-host/wire/framing.js';
import { eventually } from '../support/processes.js';
import { Collector, isAlive, Rig, startIn } from './pty-host-rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.end());

/** Sends raw bytes; resolves with the first frame of the host once the host closes the connection. */
async function speak(...frames: Buffer[]): Promise<{ type: number; answer: unknown }> {
  const socket = connect(rig.socketPath);
  const seen = { type: 0, answer: null as unknown };
  const decoder = new FrameDecoder((type, _, payload) => {
    seen.type ||= type;
    seen.answer ??= JSON.parse(payload.toString());
  });
  socket.on('data', (chunk) => decoder.push(chunk));
  for (const frame of frames) socket.write(frame);
  await once(socket, 'close');
  return seen;
}

describe('the host', () => {
  test('serves one service at a time and names it', async () => {
    const second = rig.connect('service', 'second');
    await expect(second).rejects.toBeInstanceOf(HostBusy);
    await expect(second).rejects.toMatchObject({ instanceId: 'first' });
    rig.host.close();
    await eventually('the place is free', () =>
      rig.connect('service', 'second').then(
        () => true,
        () => false,
      ),
    );
  });

  test.each([
    ['without a range', { protocol: 99 }],
    ['of a later release', { protocol: 99, protocols: { min: HOST_PROTOCOLS.max + 1, max: 99 } }],
    ['of an earlier release', { protocol: 1, protocols: { min: 1, max: HOST_PROTOCOLS.min - 1 } }],
  ])(
    'answers a hello %s, in a version that it does not speak, with its own, and hangs up',
    async (_, theirs) => {
      const hello = encodeJson(Frame.hello, 0, { ...theirs, role: 'service', instanceId: 'x', more: 1 });
      const refused = { reason: 'protocol', protocol: HOST_PROTOCOLS.max, protocols: HOST_PROTOCOLS };
      expect(await speak(hello)).toEqual({ type: Frame.refused, answer: refused });
    },
  );

  test('greets a later release in the newest version of its own that both speak', async () => {
    const theirs = { protocol: 99, protocols: { min: HOST_PROTOCOLS.min, max: 99 } };
    const hello = encodeJson(Frame.hello, 0, { ...theirs, role: 'shard', instanceId: 'x' });
    expect(await speak(hello, Buffer.alloc(9, 0xff))).toEqual({
      type: Frame.welcome,
      answer: {
        protocol: HOST_PROTOCOLS.max,
        pid: rig.host.hostPid,
        version: VERSION,
        features: expect.arrayContaining(['renew']),
        tmuxFolder: process.env.TMUX_TMPDIR ?? '',
      },
    });
  });

  test('closes only the connection that sends an invalid frame', async () => {
    const hello = encodeJson(Frame.hello, 0, {
      protocol: HOST_PROTOCOLS.max,
      role: 'shard',
      instanceId: 'x',
    });
    const { handle } = await rig.spawn('/bin/sleep', ['100']);
    const oversize = Buffer.alloc(9, 0xff);
    const broken = [
      [Buffer.from('GET / HTTP/1.1\r\n\r\n')],
      [encodeFrame(Frame.input, 1, Buffer.from('x'))],
      [hello, oversize],
      [hello, encodeFrame(Frame.request, 0, Buffer.from('{'))],
      [hello, encodeFrame(Frame.confirm, handle, Buffer.from([1]))],
      [hello, encodeFrame(Frame.resize, handle, Buffer.from([0, 0, 0, 1]))],
    ];
    for (const frames of broken) await speak(...frames);
    expect(await rig.host.list()).toHaveLength(1);
  });

  test('gives control to the service alone', async () => {
    const shard = await rig.connect();
    await expect(shard.list()).rejects.toMatchObject({ message: 'only the service may send list' });
  });

  test("keeps the service's metadata of a terminal", async () => {
    const { handle, pid } = await rig.spawn('/bin/sleep', ['100']);
    rig.host.setMeta(handle, '{"name":"büro"}');
    const [terminal] = await rig.host.list();
    const expected = {
      handle,
      id: expect.stringMatching(/^term_/),
      pid,
      cols: 80,
      rows: 24,
      pendingInput: 0,
      position: 0,
      exit: null,
    };
    expect(terminal).toEqual({ ...expected, meta: '{"name":"büro"}' });
  });

  test('and its socket are private', () => {
    expect(statSync(rig.socketPath).mode & 0o777).toBe(0o600);
    expect(statSync(join(rig.folder, 'run')).mode & 0o777).toBe(0o700);
  });

  test('leaves the programs the umask of the user', async () => {
    const { sink } = await rig.run('umask');
    await sink.end();
    expect(Number.parseInt(sink.text, 8)).toBe(process.umask());
  });

  test('ends pending calls with the connection', async () => {
    const pending = rig.host.list();
    rig.host.close();
    await rig.host.closed;
    await expect(pending).rejects.toMatchObject({ code: 'unavailable' });
    await expect(rig.host.list()).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('ignores the signals of the terminal it was started from', async () => {
    process.kill(rig.host.hostPid, 'SIGHUP');
    process.kill(rig.host.hostPid, 'SIGINT');
    expect(await rig.host.list()).toEqual([]);
  });
});

describe('its life', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pty-host-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('outlasts a service that is killed, programs and all', async () => {
    const script = join(folder, 'service.mjs');
    const client = import.meta.resolve('#dist/workers/pty-host/client/host-client.js');
    rig.host.close();
    writeFileSync(
      script,
      `import { HostConnection } from ${JSON.stringify(client)};
       const host = await HostConnection.connect(process.argv[2], { role: 'service', instanceId: 'doomed' });
       const { pid } = await host.spawn({ id: 't', file: 'sh', args: ['-c', 'printf alive; read x; printf $x'],
         env: { PATH: '/bin:/usr/bin' }, cwd: '/', cols: 80, rows: 24, meta: 'kept', ...${JSON.stringify(rig.place)} });
       process.send(pid);`,
    );
    const service = fork(script, [rig.socketPath]);
    const [pid] = (await once(service, 'message')) as [number];
    service.kill('SIGKILL');
    await once(service, 'exit');
    const next = await eventuallyService();
    const [terminal] = await next.list();
    expect(terminal).toMatchObject({ id: 't', pid, meta: 'kept', exit: null });
    const sink = new Collector();
    const began = sink.until('its first output', () => sink.text === 'alive');
    sink.attach(next, terminal!.handle);
    await began;
    await next.type(terminal!.handle, [{ data: 'again\r' }]);
    await sink.end();
    expect(sink.text).toBe('aliveagain\r\nagain');
  });

  async function eventuallyService(): Promise<HostConnection> {
    let connection: HostConnection | null = null;
    await eventually('the next service is let in', async () => {
      connection = await rig.connect('service', 'next').catch(() => null);
      return connection !== null;
    });
    return connection!;
  }

  test('ends after it has been unused for a while', async () => {
    const { host, started } = await startIn(folder, { idleMs: 1_000 });
    expect(started).toBe(true);
    host.close();
    await eventually('the host has gone', () => !isAlive(host.hostPid));
    expect(existsSync(join(folder, 'run', 'host.sock'))).toBe(false);
  });

  test('ends with its terminals when no service comes back', async () => {
    const { host } = await startIn(folder, { orphanMs: 100 });
    const request = { id: 't', file: 'sleep', args: ['100'], cwd: '/', cols: 80, rows: 24, meta: '' };
    const { pid } = await host.spawn({ ...request, ...rig.place, env: { PATH: '/bin:/usr/bin' } });
    host.close();
    await eventually('the host has gone', () => !isAlive(host.hostPid));
    expect(isAlive(pid)).toBe(false);
  });

  test('is unique for each socket, also when two services start at once, or one was killed', async () => {
    const [one, two] = await Promise.allSettled([startIn(folder), startIn(folder)]);
    const winner = one.status === 'fulfilled' ? one.value : two.status === 'fulfilled' ? two.value : null;
    const loser = one.status === 'rejected' ? one : two;
    expect(loser).toMatchObject({ status: 'rejected', reason: expect.any(HostBusy) });
    const killed = winner!.host.hostPid;
    process.kill(killed, 'SIGKILL');
    await winner!.host.closed;
    const { host, started } = await startIn(folder);
    expect(started).toBe(true);
    expect(host.hostPid).not.toBe(killed);
    await host.shutdown();
  });

  test('removes its socket at the end only if the socket is still its own', async () => {
    const { host } = await startIn(folder);
    const path = join(folder, 'run', 'host.sock');
    unlinkSync(path);
    writeFileSync(path, 'of another');
    process.kill(host.hostPid, 'SIGTERM');
    await eventually('the host has gone', () => !isAlive(host.hostPid));
    expect(existsSync(path)).toBe(true);
  });

  test('that cannot begin is an error that names the log', async () => {
    writeFileSync(join(folder, 'run'), 'a file where the folder should be');
    const failed = startIn(folder);
    await expect(failed).rejects.toBeInstanceOf(HostUnreachable);
    await expect(failed).rejects.toThrow(/host\.log/);
  });
});
