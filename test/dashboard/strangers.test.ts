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

  /** Tries to type in every way that a page has; resolves with the outcome of each. */
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
