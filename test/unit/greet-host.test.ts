import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOST_PROTOCOLS } from '#dist/contract/host-greeting.js';
import { Frame } from '#dist/contract/host-protocol.js';
import { encodeFrame, encodeJson, FrameDecoder } from '#dist/workers/pty-host/wire/framing.js';
import { greetHost } from '#dist/workers/pty-host/wire/handshake.js';

let folder: string;
let server: Server;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'greeted-'));
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function greeted(answer: Buffer): Promise<unknown> {
  const path = join(folder, 'host.sock');
  server = createServer((socket) => socket.on('error', () => {}).write(answer));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return greetHost(path, { role: 'shard', instanceId: 'test' });
}

it.each([
  ['a welcome without the pid', encodeJson(Frame.welcome, 0, { protocol: HOST_PROTOCOLS.max })],
  ['a welcome that is no JSON', encodeFrame(Frame.welcome, 0, Buffer.from('{'))],
  ['a refusal without a reason', encodeJson(Frame.refused, 0, {})],
  ['a frame of another kind', encodeJson(Frame.restore, 0, {})],
])('an answer that is %s is a framing error', async (_what, answer) => {
  await expect(greeted(answer)).rejects.toMatchObject({ name: 'FramingError' });
});

/** Greets a host of another release, which answers each hello with the result of `answer`. */
async function greetedBy(answer: (hello: { protocol: number }) => Buffer, ours = { min: 8, max: 11 }) {
  const path = join(folder, 'host.sock');
  const hellos: { protocol: number }[] = [];
  server = createServer((socket) => {
    const decoder = new FrameDecoder((_type, _terminal, payload) => {
      const hello = JSON.parse(payload.toString()) as { protocol: number };
      hellos.push(hello);
      socket.write(answer(hello));
    });
    socket.on('error', () => {}).on('data', (chunk) => decoder.push(chunk));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const greeted = greetHost(path, { role: 'shard', instanceId: 'test' }, ours);
  return { greeted, hellos };
}

describe('a host of another release', () => {
  const welcome = (protocol: number, more = {}) =>
    encodeJson(Frame.welcome, 0, { protocol, pid: 7, ...more });
  const refused = (protocol: number, protocols?: { min: number; max: number }) =>
    encodeJson(Frame.refused, 0, { reason: 'protocol', protocol, protocols });

  it('that knows no ranges is greeted again in its own version', async () => {
    const old = (hello: { protocol: number }) => (hello.protocol === 9 ? welcome(9) : refused(9));
    const { greeted, hellos } = await greetedBy(old);
    const { welcome: answer, socket } = await greeted;
    socket.destroy();
    expect(answer).toEqual({ protocol: 9, pid: 7 });
    expect(hellos.map(({ protocol }) => protocol)).toEqual([11, 9]);
  });

  it('answers in the newest version that both speak', async () => {
    const { greeted } = await greetedBy(() =>
      welcome(10, { version: '1.2.3', features: ['renew', 'later'] }),
    );
    const { welcome: answer, socket } = await greeted;
    socket.destroy();
    expect(answer).toMatchObject({ protocol: 10, version: '1.2.3', features: ['renew', 'later'] });
  });

  it.each([
    [
      'an older',
      refused(7),
      /an older release, whose pty host speaks protocol 7, while this release speaks 8 to 11/,
    ],
    ['an older, with a range', refused(7, { min: 5, max: 7 }), /an older release.*protocol 5 to 7/],
    ['a newer', refused(12, { min: 12, max: 14 }), /a newer release.*protocol 12 to 14/],
    ['one that welcomes in a version that nobody asked for', welcome(12), /a newer release/],
  ])('below or above the range is a mismatch that says what to do: %s', async (_what, answer, message) => {
    const { greeted, hellos } = await greetedBy(() => answer);
    await expect(greeted).rejects.toMatchObject({ name: 'HostProtocolMismatch', message });
    await expect(greeted).rejects.toThrow(/`auto-terminal stop`/);
    expect(hellos).toHaveLength(1);
  });

  it('that refuses the version which it names is asked no third time', async () => {
    const { greeted, hellos } = await greetedBy(() => refused(9));
    await expect(greeted).rejects.toThrow();
    expect(hellos).toHaveLength(2);
  });
});
