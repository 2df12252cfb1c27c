import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_SCREENSHOT_SIDE } from '#dist/contract/limits.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { failed } from '../support/failed.js';
import { type Watcher, watch } from '../support/http.js';
import { Picture } from '../support/picture.js';
import { eventually, residentBytes } from '../support/processes.js';
import { useService } from '../support/use-service.js';

const MB = 1_000_000;
const PAGE = { color: '#d7dce2', background: '#0d1117' };
const RED = '#cd3131';
/** Background colours 41 to 45. */
const COLORS = [RED, '#0dbc79', '#e5e510', '#2472c8', '#bc3fbc'];

const used = useService();
let watcher: Watcher;
beforeAll(async () => {
  watcher = await watch(used.api.url);
});
afterAll(() => watcher.close());

/** A terminal in which this script of sh has run up to its last line, which prints END. */
async function printed(script: string, { cols = 20, rows = 4 } = {}): Promise<string> {
  const command = ['sh', '-c', `${script}; printf END; exec cat`];
  const { body } = await used.api.post<Terminal>('/api/terminals', { command, cols, rows, index: false });
  await watcher.untilOutput(body.id, 'END');
  return body.id;
}

function request(id: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${used.api.url}/api/terminals/${id}/screenshot`, { signal });
}

async function screenshot(id: string): Promise<Uint8Array> {
  const response = await request(id);
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}

describe('GET /api/terminals/:id/screenshot', () => {
  it('is a PNG of the cells with their colours, and the cursor', async () => {
    const id = await printed("printf '\\033[41m  \\033[0m\\033[48;2;1;2;3m \\033[0m \\033[7m \\033[0m'");
    const response = await request(id);
    const png = new Uint8Array(await response.arrayBuffer());
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'no-store',
      'content-length': `${png.length}`,
      'x-request-id': expect.any(String),
    });
    const picture = await Picture.read(png);
    expect([picture.width, picture.height]).toEqual([20 * 9, 4 * 19]);
    const colors = [0, 1, 2, 3, 4].map((col) => picture.at(col, 0));
    expect(colors).toEqual([RED, RED, '#010203', PAGE.background, PAGE.color]);
    expect(picture.colors(8, 0)).toEqual(new Map([[PAGE.color, 171]]));
    expect(picture.colors(9, 0)).toEqual(new Map([[PAGE.background, 171]]));
  });

  it('shows the current screen: resized, on the alternate screen', async () => {
    const id = await printed("printf 'main\\033[?1049h\\033[H\\033[42m\\033[2J\\033[?25l'");
    await used.api.post(`/api/terminals/${id}/resize-reflow`, { cols: 30, rows: 5 });
    const picture = await Picture.read(await screenshot(id));
    expect([picture.width, picture.height]).toEqual([30 * 9, 5 * 19]);
    expect(picture.at(10, 2)).toBe('#0dbc79');
  });

  it('an exited terminal has no cursor', async () => {
    const command = ['printf', '\\033[41m \\033[0m'];
    const { body } = await used.api.post<Terminal>('/api/terminals', { command });
    await eventually('it has exited', async () => {
      const { body: now } = await used.api.get<Terminal>(`/api/terminals/${body.id}`);
      return now.status === 'exited';
    });
    const picture = await Picture.read(await screenshot(body.id));
    expect([picture.at(0, 0), picture.at(1, 0)]).toEqual([RED, PAGE.background]);
  });

  it('unknown id: 404', async () => {
    const { status, body } = await used.api.get('/api/terminals/term_none/screenshot');
    expect({ status, body }).toEqual({ status: 404, body: failed('Terminal not found') });
  });

  it('is as documented', async () => {
    const id = await printed(':');
    expect((await used.api.get(`/api/terminals/${id}/screenshot`)).status).toBe(200);
  });

  it('one of 1000 x 1000 stays within the bound of pixels, and others wait for it', async () => {
    const script = 'line=$(printf "%0999d" 0); yes "$line" | head -n 990';
    const large = await printed(script, { cols: 1000, rows: 1000 });
    const small = await printed("printf '\\033[41m '");
    const pictures = await Promise.all([large, small, large].map(screenshot));
    const { width, height } = await Picture.read(pictures[0]!);
    expect([width, height]).toEqual([MAX_SCREENSHOT_SIDE / 2, MAX_SCREENSHOT_SIDE]);
    expect((await Picture.read(pictures[1]!)).at(0, 0)).toBe(RED);
  });

  it('ends with its client, and the next one is served', async () => {
    const id = await printed('yes 0123456789 | head -n 900', { cols: 1000, rows: 1000 });
    for (let round = 0; round < 5; round++) {
      const leaving = new AbortController();
      const requests = [1, 2, 3, 4].map(() => request(id, leaving.signal));
      const outcomes = Promise.allSettled(requests);
      // Each round leaves at a different moment of the work.
      for (let ask = 0; ask <= round; ask++) await used.api.get('/health');
      leaving.abort();
      expect((await outcomes).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    }
    expect((await screenshot(id)).length).toBeGreaterThan(1000);
    expect(used.service.log()).not.toMatch(/Internal error|"level":50/);
  });

  it('fifty at once are all right, and memory stays the same after the first ones', async () => {
    const ids = await Promise.all(
      ['41', '42', '43', '44', '45'].map((color) =>
        printed(`printf '\\033[${color}m \\033[0m'; seq 50`, { cols: 200, rows: 60 }),
      ),
    );
    const round = async () => {
      const pictures = await Promise.all(
        Array.from({ length: 50 }, (_, index) => screenshot(ids[index % 5]!)),
      );
      const first = await Promise.all(pictures.slice(0, 5).map((png) => Picture.read(png)));
      expect(first.map((picture) => picture.at(0, 0))).toEqual(COLORS);
    };
    await round();
    const before = residentBytes(used.service.pid);
    await round();
    const grown = residentBytes(used.service.pid) - before;
    expect(grown / MB).toBeLessThan(80);
  });
});
