import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Frame, HOST_PROTOCOL_VERSION } from '#dist/contract/host-protocol.js';
import { encodeFrame, encodeJson } from '#dist/workers/pty-host/wire/framing.js';
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
  ['a welcome without the pid', encodeJson(Frame.welcome, 0, { protocol: HOST_PROTOCOL_VERSION })],
  ['a welcome that is no JSON', encodeFrame(Frame.welcome, 0, Buffer.from('{'))],
  ['a refusal without a reason', encodeJson(Frame.refused, 0, {})],
  ['a frame of another kind', encodeJson(Frame.restore, 0, {})],
])('an answer that is %s is a framing error', async (_what, answer) => {
  await expect(greeted(answer)).rejects.toMatchObject({ name: 'FramingError' });
});
