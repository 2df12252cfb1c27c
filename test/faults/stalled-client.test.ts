import { once } from 'node:events';
import xterm from '@xterm/headless';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { COUNTED, heldBytes } from '../support/held-memory.js';
import { type Api, createApi, type Frame } from '../support/http.js';
import { type Service, startService } from '../support/service.js';
import { openStream } from '../support/stream.js';

let service: Service;
let api: Api;
beforeAll(async () => {
  service = await startService({ env: { NODE_OPTIONS: COUNTED } });
  api = createApi(service.url);
});
afterAll(() => service.stop());

const LINES = 300_000;
const LAST_LINE = `the last of them is number ${LINES}`;
/** Floods, then draws text that only a correct screen shows, and waits. */
const PROGRAM = `seq -f 'a line of the flood with the number %.0f in it' ${LINES}; printf '\\033[41;1m${LAST_LINE}\\033[m'; exec sleep 1000`;

const EXPECTED_BYTES =
  Array.from(
    { length: LINES },
    (_, index) => `a line of the flood with the number ${index + 1} in it\r\n`,
  ).join('').length + `\x1b[41;1m${LAST_LINE}\x1b[m`.length;

/** Runs the flood with a client that reads everything; resolves with the number of bytes that the client received. */
async function flood(): Promise<{ id: string; received: number }> {
  let received = 0;
  let tail = '';
  let done = () => {};
  const finished = new Promise<void>((resolve) => {
    done = resolve;
  });
  const stream = await openStream(service.url, '', ({ data }) => {
    received += Buffer.byteLength(data.content ?? '');
    tail = (tail + data.content).slice(-200);
    if (tail.includes(LAST_LINE)) done();
  });
  const { body } = await api.post<{ id: string }>('/api/terminals', {
    command: ['sh', '-c', PROGRAM],
    index: false,
  });
  await finished;
  await stream.close();
  return { id: body.id, received };
}

describe('a client that never reads', () => {
  it('slows no other, costs a bounded memory, and ends with the right screen once it reads', async () => {
    // The first flood is not counted: later floods reuse the memory that it leaves.
    await api.delete(`/api/terminals/${(await flood()).id}`);
    const { id: earlier } = await flood();
    const alone = await heldBytes(service);
    await api.delete(`/api/terminals/${earlier}`);

    const stalled = await connectAndStall();
    const { id, received } = await flood();
    expect(received).toBe(EXPECTED_BYTES);
    expect((await heldBytes(service)) - alone).toBeLessThan(8 * 1024 * 1024);

    const screen = new xterm.Terminal({ cols: 80, rows: 24, allowProposedApi: true });
    let frames = 0;
    const caughtUp = new Promise<void>((resolve) => {
      stalled.on('message', (message) => {
        const { event } = JSON.parse(String(message)) as Frame;
        if (event?.terminalId !== id) return;
        frames++;
        screen.write(String(event.data.content), () => shows(screen, LAST_LINE) && resolve());
      });
    });
    stalled.resume();
    await caughtUp;
    expect(frames).toBeGreaterThan(0);
    const { body } = await api.get<{ snapshot: string }>(`/api/terminals/${id}/snapshot`);
    const fresh = new xterm.Terminal({ cols: 80, rows: 24, allowProposedApi: true });
    await new Promise<void>((resolve) => fresh.write(body.snapshot, resolve));
    expect(rowsOf(screen)).toEqual(rowsOf(fresh));
    expect(rowsOf(screen).at(-1)).toBe(LAST_LINE);

    // The stalled client's stream goes on from there.
    const next = once(stalled, 'message');
    const { body: other } = await api.post<{ id: string }>('/api/terminals', {
      command: ['echo', 'live again'],
    });
    expect(JSON.parse(String((await next)[0])).event).toMatchObject({ terminalId: other.id });
    stalled.terminate();
  });
});

async function connectAndStall(): Promise<WebSocket> {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/ws`);
  // The welcome has come: the stream is live.
  await once(socket, 'message');
  socket.pause();
  return socket;
}

function rowsOf(screen: InstanceType<typeof xterm.Terminal>): string[] {
  const { active } = screen.buffer;
  return Array.from(
    { length: screen.rows },
    (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
  );
}

function shows(screen: InstanceType<typeof xterm.Terminal>, text: string): boolean {
  return rowsOf(screen).some((row) => row.includes(text));
}
