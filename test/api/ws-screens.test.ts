import { describe, expect, it } from 'vitest';
import type { ScreenRows } from '../../src/contract/screen-rows.js';
import { type Watcher, watch } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { RowsClient } from '../support/rows-client.js';
import { useSharedService } from '../support/use-service.js';
import { ask } from '../support/ws-ask.js';

const used = useSharedService();

const create = async (body: object) => (await used.api.post<{ id: string }>('/api/terminals', body)).body.id;
const type = (id: string, data: string) => used.api.post(`/api/terminals/${id}/input`, { data });
const join = (query = 'screens=1&output=0') => watch(used.service.url, query);

let asked = 0;
const command = (watcher: Watcher, payload: object) =>
  ask(watcher, { id: `screens ${++asked}`, type: 'command', payload });
const watchScreens = (watcher: Watcher, ...views: object[]) =>
  command(watcher, { action: 'screens:watch', views });

function framesOf({ frames }: Watcher, id: string): ScreenRows[] {
  return frames.flatMap(({ event }) =>
    event?.type === 'screen.rows' && event.terminalId === id ? [event.data as unknown as ScreenRows] : [],
  );
}

/** Returns a client that has drawn all frames of a terminal. */
function drawn(watcher: Watcher, id: string): RowsClient {
  const client = new RowsClient();
  for (const frame of framesOf(watcher, id)) client.take(frame);
  return client;
}

async function captured(id: string): Promise<string[]> {
  const { body } = await used.api.get<{ content: string }>(`/api/terminals/${id}/capture`);
  return body.content.split('\n').map((row) => row.replace(/\x1b\[[\d;:]*m/g, '').trimEnd());
}

/** Resolves once the client draws what the terminal shows. */
async function showsAll(watcher: Watcher, id: string): Promise<void> {
  await eventually('the client draws what the terminal shows', async () => {
    const should = JSON.stringify(await captured(id));
    if (framesOf(watcher, id).length === 0) return false;
    return JSON.stringify(drawn(watcher, id).texts.map((row) => row.trimEnd())) === should;
  });
}

/** Resolves once the client draws the text, which is all that the terminal prints. */
const shows = (watcher: Watcher, id: string, text: string) =>
  watcher.until(() => drawn(watcher, id).texts.join('').includes(text));

/** Prints coloured lines with moves of the cursor, and now and then clears the screen; ends with the word END. */
const FLOOD = `
let left = 1500;
const turn = () => {
  let text = '';
  for (let count = 0; count < 20; count++)
    text += \`\\x1b[3\${left % 8}mline \${left} é中😀 \${'x'.repeat(left % 70)}\\x1b[m\\r\\n\\x1b[\${1 + left % 7}A\\x1b[\${1 + left % 9}B\`;
  if (left % 100 === 0) text += '\\x1b[2J';
  if (--left === 0) return void process.stdout.write('\\r\\nEND', () => setInterval(() => {}, 1e6));
  process.stdout.write(text, () => setTimeout(turn, left % 3));
};
turn();
`;

describe('screens=1', () => {
  it('draws the same as the terminal shows, in a flood, at rest, resized and with several clients', async () => {
    const flood = await create({ command: [process.execPath, '-e', FLOOD], cols: 100, rows: 30 });
    const quiet = await create({ command: ['cat'], cols: 40, rows: 5 });
    const fast = await join();
    const slow = await join();
    const views = (fps: number) => [flood, quiet].map((terminalId) => ({ terminalId, fps }));
    expect(await watchScreens(fast, ...views(10))).toMatchObject({ success: true, data: { missing: [] } });
    await watchScreens(slow, ...views(0.5));
    await type(quiet, 'typed');
    await fast.until(() => framesOf(fast, flood).length > 5);
    await used.api.post(`/api/terminals/${flood}/resize`, { cols: 60, rows: 20 });
    await eventually('the flood is over', async () => (await captured(flood)).includes('END'));
    for (const id of [flood, quiet]) for (const watcher of [fast, slow]) await showsAll(watcher, id);
    expect(framesOf(fast, flood).some(({ from }) => from !== null)).toBe(true);
    expect(framesOf(slow, flood).length).toBeLessThan(framesOf(fast, flood).length);
    expect(fast.frames.some(({ event }) => event?.type === 'output.data')).toBe(false);
    await Promise.all([fast.close(), slow.close()]);
  });

  it('sends nothing of a screen that stays, and nothing of one that is watched no more', async () => {
    const still = await create({ command: ['sh', '-c', 'printf still; exec cat'] });
    const clock = await create({ command: ['sh', '-c', 'stty -echo; exec cat'], rows: 5 });
    const watcher = await join();
    await watchScreens(watcher, { terminalId: still, fps: 10 }, { terminalId: clock, fps: 10 });
    await shows(watcher, still, 'still');
    const before = framesOf(watcher, still).length;
    /** Changes another screen several times, and awaits a frame for each change. */
    const pass = async () => {
      for (let tick = 0; tick < 5; tick++) {
        const seen = framesOf(watcher, clock).length;
        await type(clock, `${tick}\r`);
        await watcher.until(() => framesOf(watcher, clock).length > seen);
      }
    };
    await pass();
    expect(framesOf(watcher, still)).toHaveLength(before);
    await watchScreens(watcher, { terminalId: clock, fps: 10 });
    await type(still, 'more');
    await pass();
    expect(framesOf(watcher, still)).toHaveLength(before);
    await watcher.close();
  });

  it('sends all rows again when the client asks', async () => {
    const id = await create({ command: ['sh', '-c', 'printf shown; exec cat'] });
    const watcher = await join();
    await watchScreens(watcher, { terminalId: id });
    await shows(watcher, id, 'shown');
    const before = framesOf(watcher, id).length;
    expect(await command(watcher, { action: 'screens:resync', terminalId: id })).toMatchObject({
      success: true,
    });
    await watcher.until(() => framesOf(watcher, id).length > before);
    expect(framesOf(watcher, id).at(-1)).toMatchObject({ from: null, lines: [[0, ['shown']]] });
    await watcher.close();
  });

  it('names the terminals that do not exist, and goes on after one is removed', async () => {
    const [first, second] = [await create({ command: ['cat'] }), await create({ command: ['cat'] })];
    const watcher = await join();
    const views = [first, 'term_none', second].map((terminalId) => ({ terminalId, fps: 10 }));
    expect(await watchScreens(watcher, ...views)).toMatchObject({ data: { missing: ['term_none'] } });
    await watcher.until(() => framesOf(watcher, first).length > 0 && framesOf(watcher, second).length > 0);
    await used.api.delete(`/api/terminals/${first}`);
    await type(second, 'goes on');
    await showsAll(watcher, second);
    await watcher.close();
  });

  it.each([
    [{ action: 'screens:watch' }, 'screens:watch needs views'],
    [{ action: 'screens:watch', views: [{ terminalId: 'term_a', fps: 11 }] }, 'screens:watch needs views'],
    [{ action: 'screens:watch', views: Array(301).fill({ terminalId: 'term_a' }) }, 'at most 300'],
    [{ action: 'screens:resync' }, 'screens:resync needs the string terminalId'],
    [{ action: 'screens:resync', terminalId: 'term_none' }, 'Terminal not found'],
  ])('refuses %j', async (payload, error) => {
    const watcher = await join();
    const reply = await command(watcher, payload);
    expect(reply).toMatchObject({ success: false, error: expect.stringContaining(error) });
    await watcher.close();
  });

  it('refuses a resync of a screen that is not watched', async () => {
    const id = await create({ command: ['cat'] });
    const watcher = await join();
    const reply = await command(watcher, { action: 'screens:resync', terminalId: id });
    expect(reply).toMatchObject({ success: false, code: 'screen-not-watched' });
    await watcher.close();
  });
});

it('a client without screens=1 gets none, and is told so', async () => {
  const id = await create({ command: ['cat'] });
  const watcher = await join('');
  expect(await watchScreens(watcher, { terminalId: id })).toMatchObject({
    success: false,
    code: 'no-screens',
  });
  await type(id, 'typed');
  await watcher.untilOutput(id, 'typed');
  expect(framesOf(watcher, id)).toEqual([]);
  await watcher.close();
});
