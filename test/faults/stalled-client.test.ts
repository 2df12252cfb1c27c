import { once } from 'node:events';
import xterm from '@xterm/headless';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Api, createApi, type Frame } from '../support/http.js';
import { residentBytes } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';
import { openStream } from '../support/stream.js';

let service: Service;
let api: Api;
beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
});
afterAll(() => service.stop());

const LINES = 500_000;
const LAST_LINE = `the last of them is number ${LINES}`;
/** Floods, then draws something that only a right screen shows, and waits. */
const PROGRAM = `seq -f 'a line of the flood with the number %.0f in it' ${LINES}; printf '\\033[41;1m${LAST_LINE}\\033[m'; exec sleep 1000`;

/** Runs the flood with a client that reads everything, and gives the most memory of the service meanwhile. */
async function flood(): Promise<{ id: string; received: number; peak: number }> {
  let peak = residentBytes(service.pid);
  let received = 0;
  let tail = '';
  let done = () => {};
  const finished = new Promise<void>((resolve) => {
    done = resolve;
  });
  const stream = await openStream(service.url, '', ({ data }) => {
    received += Buffer.byteLength(data.content ?? '');
    tail = (tail + data.content).slice(-200);
    peak = Math.max(peak, residentBytes(service.pid));
    if (tail.includes(LAST_LINE)) done();
  });
  const { body } = await api.post<{ id: string }>('/api/terminals', { command: ['sh', '-c', PROGRAM] });
  await finished;
  await stream.close();
  return { id: body.id, received, peak };
}

describe('a client that never reads', () => {
  it('slows nobody, costs a bounded memory, and ends with the right screen once it reads', {
    timeout: 120_000,
  }, async () => {
    // The service's heap finds its size under the same load first; what counts is what the stalled client adds.
    const usual = Math.max((await flood()).peak, (await flood()).peak);
    const stalled = new WebSocket(`${service.url.replace('http', 'ws')}/ws`);
    await once(stalled, 'open');
    stalled.pause();

    const { id, received, peak } = await flood();
    const expected = Array.from(
      { length: LINES },
      (_, index) => `a line of the flood with the number ${index + 1} in it\r\n`,
    );
    expect(received).toBe(expected.reduce((sum, line) => sum + line.length, 0) + LAST_LINE.length + 10);
    expect(peak - usual).toBeLessThan(8 * 1024 * 1024);

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

    // Its stream goes on from there.
    const next = once(stalled, 'message');
    const { body: other } = await api.post<{ id: string }>('/api/terminals', {
      command: ['echo', 'live again'],
    });
    expect(JSON.parse(String((await next)[0])).event).toMatchObject({ terminalId: other.id });
    stalled.terminate();
  });
});

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
