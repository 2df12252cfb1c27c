import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();

interface Process {
  id: string;
  lastInputSource: string | null;
}

let id: string;
beforeAll(async () => {
  id = (await used.api.post<{ id: string }>('/api/terminals', { name: 'victim' })).body.id;
});

const listed = async () =>
  (await used.api.get<{ terminals: Process[] }>('/api/terminals?view=full')).body.terminals;

describe('a page of another program of this machine', () => {
  let server: Server;
  let origin: string;
  beforeAll(async () => {
    server = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>stranger</title>'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  /** Tries to type by all ways that a page has; resolves with what became of each. */
  const ATTACK = `async (url, id) => {
    const tried = (work) => work.then((value) => String(value), (error) => 'failed: ' + error.message);
    const input = url + '/api/terminals/' + id + '/input';
    const body = JSON.stringify({ data: 'touch stolen\\r' });
    const types = ['application/json', 'text/plain'];
    const fetched = types.flatMap((type) => ['cors', 'no-cors'].map((mode) =>
      tried(fetch(input, { method: 'POST', mode, body, credentials: 'include', headers: { 'content-type': type } })
        .then(({ type, status }) => type + ' ' + status))));
    const read = tried(fetch(url + '/api/terminals').then((answer) => answer.text()));
    const socket = tried(new Promise((resolve, reject) => {
      const ws = new WebSocket(url.replace('http', 'ws') + '/api/ws?origin=user');
      ws.onopen = () => {
        ws.send(JSON.stringify({ id: 1, type: 'command', payload: { action: 'terminal:input', terminalId: id, data: 'touch stolen\\r' } }));
        resolve('open');
      };
      ws.onerror = () => reject(new Error('refused'));
    }));
    const form = document.createElement('form');
    Object.assign(form, { method: 'POST', action: input, enctype: 'text/plain', target: 'sink' });
    const field = document.createElement('input');
    Object.assign(field, { name: '{"data":"touch stolen\\\\r","x":"', value: '"}' });
    form.append(field);
    const sink = document.createElement('iframe');
    sink.name = 'sink';
    const frame = document.createElement('iframe');
    frame.src = url + '/';
    document.body.append(sink, frame, form);
    const loaded = new Promise((resolve) => { frame.onload = resolve; });
    form.submit();
    await loaded;
    return { fetched: await Promise.all(fetched), read: await read, socket: await socket };
  }`;

  test('can neither type nor read, and cannot show the dashboard in a frame', async () => {
    const page = await used.browser.newPage();
    await page.goto(origin);
    const before = await listed();
    const outcome = await page.evaluate<{ fetched: string[]; read: string; socket: string }>(
      `(${ATTACK})(${JSON.stringify(used.url)}, ${JSON.stringify(id)})`,
    );
    expect(outcome.read).toMatch(/^failed/);
    expect(outcome.socket).toMatch(/^failed/);
    // A page may send some requests without seeing the answer; the service refuses these.
    expect(outcome.fetched.filter((each) => !/^failed|^opaque 0$/.test(each))).toEqual([]);
    const frame = page
      .frames()
      .find((each) => each.url().startsWith(used.url) || each.url().startsWith('chrome-error'));
    expect(await frame?.locator('#root').count()).toBe(0);
    expect(await listed()).toEqual(before);
    expect((await listed())[0]!.lastInputSource).toBeNull();
    await page.close();
  });
});

/** Output that wants to be more than output. */
const HOSTILE = [
  '\x1b]0;<img src=x onerror=alert(1)>\x07',
  '\x1b]2;\u202egnp.exe\u202c\x07',
  `\x1b]52;c;${Buffer.from('rm -rf /\n').toString('base64')}\x07`,
  '\x1b]52;c;?\x07',
  '\x1b]8;;javascript:alert(1)\x1b\\link\x1b]8;;\x1b\\\r\n',
  '\x1b[21t\x1b[c\x1b[6n\x1b[5n\x1bP$qm\x1b\\\x1b]10;?\x07',
  '<script>alert(1)</script><img src=x onerror="alert(2)">\r\n',
  '\u202eevil\u202c \u2066isolate\u2069\r\n',
  '\x1b]9;notify <b>bold</b>\x07',
].join('');

describe('hostile output', () => {
  test('is shown as text by the tiles, and does nothing', async () => {
    const name = '<img src=x onerror=alert(3)>\u202e';
    const command = ['bash', '-c', `printf %s "$HOSTILE"; exec sleep 1000`];
    const body = { name, command, env: { HOSTILE }, labels: { role: 'hostile' } };
    const { id: hostile } = (await used.api.post<{ id: string }>('/api/terminals', body)).body;
    const page = await used.open('/?q=role=hostile');
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => dialogs.push(dialog.message()));
    const tile = page.locator(`[data-terminal="${hostile}"]`);
    await tile.waitFor();
    await tile.getByText('<img src=x onerror=alert(3)>', { exact: true }).waitFor();
    for (const path of ['/w', '/canvas', '/?size=l']) {
      await page.goto(used.url + path);
      await page.getByText('<img src=x onerror=alert(3)>').first().waitFor();
    }
    expect(await page.locator('img').count()).toBe(0);
    expect(dialogs).toEqual([]);
    // The program asked for the state of the terminal; the answers are those of the service alone.
    expect((await listed()).find((each) => each.id === hostile)!.lastInputSource).toBeNull();
    await page.context().close();
  });
});
