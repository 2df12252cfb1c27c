import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Frame, type Watcher, watch } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { Random } from '../support/random.js';
import { assertSameState } from '../support/screen-compare.js';
import { Bare } from '../support/screen-pair.js';
import { useSharedService } from '../support/use-service.js';
import { ask } from '../support/ws-ask.js';

const used = useSharedService();

/** More than is printed, so that no line is dropped while a viewer catches up. */
const SCROLLBACK = 20_000;

/** Prints coloured lines and moves of the cursor, with pauses, until a key comes; then stops with the word END. */
const FLOOD = `
process.stdin.setRawMode(true);
let isOver = false;
process.stdin.once('data', () => { isOver = true; });
let line = 0;
const turn = () => {
  if (isOver) { process.stdout.write('\\r\\nEND'); setInterval(() => {}, 1e6); return; }
  let text = '';
  for (let count = 0; count < 20; count++, line++)
    text += \`\\x1b[3\${line % 8}mline \${line} é€😀 \${'x'.repeat(line % 70)}\\x1b[m\\r\\n\\x1b[\${1 + line % 7}A\\x1b[\${1 + line % 9}B\`;
  process.stdout.write(text, () => setTimeout(turn, line % 3));
};
turn();
`;

const create = async (body: object) => (await used.api.post<{ id: string }>('/api/terminals', body)).body.id;
const join = (query: string) => watch(used.service.url, `snapshot=1&${query}`);

/** The output events of a terminal, as a client got them. */
function outputs({ frames }: Pick<Watcher, 'frames'>, id: string): OutputEvent[] {
  return frames.flatMap(({ event }) =>
    event?.type === 'output.data' && event.terminalId === id ? [event as unknown as OutputEvent] : [],
  );
}

interface OutputEvent {
  seq: number;
  cols?: number;
  rows?: number;
  data: { content: string };
}

/**
 * Draws a client's output events of a terminal. Throws unless they begin with one screen, and each further event
 * continues exactly where the previous event ended.
 */
function draw(events: readonly OutputEvent[]): Bare {
  const [first, ...rest] = events;
  if (!first?.data.content.startsWith('\x1bc')) throw new Error(`begins with ${JSON.stringify(first)}`);
  const drawn = new Bare({ cols: first.cols!, rows: first.rows! }, SCROLLBACK);
  drawn.do(first.data.content);
  let position = first.seq;
  for (const { seq, data, cols } of rest) {
    if (cols !== undefined) throw new Error('a second screen came');
    position += Buffer.byteLength(data.content);
    if (seq !== position) throw new Error(`output up to ${seq} follows output up to ${position}`);
    drawn.do(data.content);
  }
  return drawn;
}

/** The rows of a screen as `/capture` answers them, without colours. */
function rowsOf({ term }: Bare): string[] {
  const { active } = term.buffer;
  return Array.from({ length: term.rows }, (_, row) =>
    active.getLine(active.baseY + row)!.translateToString(true),
  );
}

async function captured(id: string): Promise<string[]> {
  const { body } = await used.api.get<{ content: string }>(`/api/terminals/${id}/capture`);
  return body.content.split('\n').map((row) => row.replace(/\x1b\[[\d;:]*m/g, '').trimEnd());
}

describe('snapshot=1', () => {
  it('joins a flood exactly, whenever a client comes', async () => {
    const random = new Random(17);
    const first = await watch(used.service.url, 'seq=1');
    const id = await create({ command: [process.execPath, '-e', FLOOD], cols: 100, rows: 30 });
    await first.untilOutput(id, 'line 100 ');
    const joined: Watcher[] = [];
    for (let count = 0; count < 12; count++) {
      joined.push(await join(`terminals=${id}`));
      const seen = first.frames.length + 1 + random.below(40);
      await first.until(() => first.frames.length >= seen);
    }
    await used.api.post(`/api/terminals/${id}/input`, { data: 'q' });
    const whole = await first.untilOutput(id, '\r\nEND');
    const oracle = new Bare({ cols: 100, rows: 30 }, SCROLLBACK);
    oracle.do(whole);
    for (const watcher of joined) {
      await watcher.untilOutput(id, '\r\nEND');
      const drawn = draw(outputs(watcher, id));
      assertSameState(drawn.term, oracle.term, { scrollback: false, isLater: true });
      expect(rowsOf(drawn).map((row) => row.trimEnd())).toEqual(await captured(id));
    }
    // All viewers joined during the flood, at different places.
    const places = new Set(joined.map((watcher) => outputs(watcher, id)[0]!.seq));
    expect(places.size).toBeGreaterThan(6);
    await Promise.all([first, ...joined].map((watcher) => watcher.close()));
  });

  it('begins every terminal with its screen: silent, exited and later ones too', async () => {
    const busy = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        create({ command: ['sh', '-c', `echo of ${index}; exec cat`] }),
      ),
    );
    const silent = await create({ command: ['cat'], cols: 33, rows: 7 });
    const over = await create({ command: ['sh', '-c', 'echo the last words'], cols: 44, rows: 9 });
    const isOver = async () =>
      (await used.api.get<{ status: string }>(`/api/terminals/${over}`)).body.status === 'exited';
    await eventually('the program has ended', isOver);
    for (const [index, id] of busy.entries())
      await eventually('it has printed', async () => (await captured(id)).includes(`of ${index}`));
    const watcher = await join('events=lifecycle');
    const later = await create({ command: ['cat'], cols: 22, rows: 3 });
    const ids = [...busy, silent, over, later];
    await watcher.until(() => ids.every((id) => outputs(watcher, id).length > 0));
    for (const id of ids) expect(rowsOf(draw(outputs(watcher, id)))).toEqual(await captured(id));
    expect(outputs(watcher, silent)).toMatchObject([{ seq: 0, cols: 33, rows: 7 }]);
    expect(outputs(watcher, over)).toMatchObject([{ seq: 16, cols: 44, rows: 9 }]);
    expect(outputs(watcher, over)[0]!.data.content).toContain('the last words');
    const ofLater = watcher.frames.flatMap(({ event }) => (event?.terminalId === later ? [event.type] : []));
    expect(ofLater).toEqual(['terminal.created', 'output.data']);
    await watcher.close();
  });
});

describe('stream:watch', () => {
  const command = (id: string, terminals: unknown) => ({
    id,
    type: 'command',
    payload: { action: 'stream:watch', terminals },
  });

  it('replaces the watched terminals: new ones begin with their screens, others end with the reply', async () => {
    const flood = () => create({ command: [process.execPath, '-e', FLOOD], cols: 100, rows: 30 });
    const [one, two] = [await flood(), await flood()];
    const watcher = await join(`terminals=${one}`);
    await watcher.untilOutput(one, 'line');
    const reply = await ask(watcher, command('w', [two, 'term_unknown']));
    expect(reply).toEqual({ id: 'w', success: true, data: { missing: ['term_unknown'] } });
    const end = watcher.frames.length;
    await watcher.until(() => outputs(watcher, two).length > 20);
    expect(watcher.frames.slice(end).filter(({ event }) => event?.terminalId === one)).toEqual([]);
    await ask(watcher, command('all', 'all'));
    const again = () => outputs({ frames: watcher.frames.slice(end) }, one);
    await watcher.until(() => again().length > 5);
    for (const id of [one, two]) await used.api.post(`/api/terminals/${id}/input`, { data: 'q' });
    await watcher.until(() => again().at(-1)!.data.content.endsWith('END'));
    await watcher.untilOutput(two, '\r\nEND');
    expect(rowsOf(draw(again())).map((row) => row.trimEnd())).toEqual(await captured(one));
    expect(rowsOf(draw(outputs(watcher, two))).map((row) => row.trimEnd())).toEqual(await captured(two));
    expect(await ask(watcher, command('none', []))).toMatchObject({ success: true, data: { missing: [] } });
    await used.api.post(`/api/terminals/${one}/size`, { cols: 50, rows: 20 });
    await ask(watcher, { id: 'last', type: 'heartbeat' });
    expect(watcher.frames.at(-2)).toMatchObject({ id: 'none' });
    await watcher.close();
  });

  it('needs ids, or all', async () => {
    const watcher = await join('terminals=');
    for (const [index, terminals] of [undefined, 'some', [7], { all: true }].entries())
      expect(await ask(watcher, command(`${index}`, terminals))).toMatchObject({
        success: false,
        code: 'invalid-request',
      });
    await watcher.close();
  });
});

it('stream:resync: the screen again, in place', async () => {
  const id = await create({ command: ['sh', '-c', 'echo ready; exec cat'] });
  const watcher = await watch(used.service.url, `terminals=${id}`);
  const resync = (terminalId: string): Promise<Frame> =>
    ask(watcher, { id: terminalId, type: 'command', payload: { action: 'stream:resync', terminalId } });
  await eventually('it has printed', async () => (await captured(id)).includes('ready'));
  expect(await resync(id)).toEqual({ id, success: true });
  await watcher.until(() => outputs(watcher, id).some(({ data }) => data.content.startsWith('\x1bc')));
  expect(outputs(watcher, id).at(-1)).toEqual({
    ...{ type: 'output.data', terminalId: id },
    data: { content: expect.stringContaining('ready') },
  });
  expect(await resync('term_unknown')).toMatchObject({ success: false, code: 'terminal-not-found' });
  const other = await create({ command: ['cat'] });
  expect(await resync(other)).toMatchObject({ success: false, code: 'not-watched' });
  await watcher.close();
});

it('output=0: events alone', async () => {
  const watcher = await watch(used.service.url, 'output=0&snapshot=1&events=lifecycle');
  const id = await create({ command: ['echo', 'printed'] });
  const types = () => watcher.frames.flatMap(({ event }) => (event?.terminalId === id ? [event.type] : []));
  await watcher.until(() => types().includes('terminal.exited'));
  expect(types()).toEqual(['terminal.created', 'terminal.exited']);
  await watcher.close();
});

it('origin=user: shown as the source of input', async () => {
  const id = await create({ command: ['cat'] });
  const sourceAfter = async (query: string) => {
    const watcher = await watch(used.service.url, query);
    const payload = { action: 'terminal:input', terminalId: id, data: 'x' };
    await ask(watcher, { id: 'i', type: 'command', payload });
    await watcher.close();
    const { body } = await used.api.get<{ processes: { id: string; lastInputSource: string }[] }>(
      '/api/processes',
    );
    return body.processes.find((process) => process.id === id)?.lastInputSource;
  };
  expect(await sourceAfter('origin=user')).toBe('user');
  expect(await sourceAfter('')).toBe('api');
});

it('terminal:resize: the program gets the size', async () => {
  const id = await create({ command: ['cat'] });
  const watcher = await watch(used.service.url, 'output=0');
  const resize = (terminalId: string, cols: unknown) =>
    ask(watcher, {
      id: `${terminalId} ${cols}`,
      type: 'command',
      payload: { action: 'terminal:resize', terminalId, cols, rows: 20 },
    });
  expect(await resize(id, 90)).toMatchObject({ success: true, data: { cols: 90, rows: 20 } });
  expect((await used.api.get(`/api/terminals/${id}/size`)).body).toEqual({ cols: 90, rows: 20 });
  expect(await resize(id, 0)).toMatchObject({ success: false, code: 'invalid-request' });
  expect(await resize('term_unknown', 90)).toMatchObject({ success: false, code: 'terminal-not-found' });
  const closed = once(watcher.socket, 'close');
  watcher.socket.close();
  await closed;
});

it('refuses unknown values of the options', async () => {
  const upgrade = {
    ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  for (const query of ['snapshot=yes', 'output=no', 'origin=mcp'])
    expect((await used.api.raw({ path: `/ws?${query}`, headers: upgrade })).status).toBe(400);
});
