import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Watcher, watch } from '../support/http.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
let api: Api;
let watcher: Watcher;

beforeAll(async () => {
  service = await sharedService();
  api = createApi(service.url);
  watcher = await watch(service.url);
});
afterAll(async () => {
  await watcher.close();
  await service.stop();
});

/** A terminal of 20 x 4 that has printed this and waits. */
async function printed(text: string, request: object = {}): Promise<string> {
  const command = ['sh', '-c', `printf '${text}'; printf END; exec cat`];
  const size = { cols: 20, rows: 4 };
  const { body } = await api.post<{ id: string }>('/api/terminals', { command, ...size, ...request });
  await watcher.untilOutput(body.id, 'END');
  return body.id;
}

const NOT_FOUND = { status: 404, body: failed('Terminal not found') };

describe('GET /api/terminals/:id/capture', () => {
  it('returns the rows of the screen with their colours, and the cursor', async () => {
    const id = await printed('\\033[31mred\\033[m\\n\\n');
    const { status, body } = await api.get(`/api/terminals/${id}/capture`);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        content: '\x1b[31mred\x1b[m\n\nEND\n',
        line_count: 4,
        includes_scrollback: false,
        cursor_position: [2, 3],
      },
    });
  });

  it('with include_scrollback the rows above the screen come first', async () => {
    const id = await printed('1\\n2\\n3\\n4\\n5\\n');
    const { body } = await api.get(`/api/terminals/${id}/capture?include_scrollback=true`);
    expect(body).toMatchObject({ content: '1\n2\n3\n4\n5\nEND', line_count: 6, includes_scrollback: true });
  });

  it('each row starts and ends without attributes, and line drawing is text', async () => {
    const id = await printed('\\033[1;44mone\\ntwo\\033[m\\n\\033(0lqk\\033(B\\n');
    const { body } = await api.get<{ content: string }>(`/api/terminals/${id}/capture`);
    expect(body.content).toBe('\x1b[1;44mone\x1b[m\n\x1b[1;44mtwo\x1b[m\n┌─┐\nEND');
  });

  it('the cursor behind a full row is on its last column', async () => {
    const id = await printed('1234567890abcdefg');
    const { body } = await api.get(`/api/terminals/${id}/capture`);
    expect(body).toMatchObject({ content: '1234567890abcdefgEND\n\n\n', cursor_position: [0, 19] });
  });

  it('an exited terminal has no cursor', async () => {
    const { body } = await api.post<{ id: string }>('/api/terminals', { command: ['echo', 'bye'] });
    const lifecycle = await watch(service.url, 'events=lifecycle');
    const isRunning = async () =>
      (await api.get<{ status: string }>(`/api/terminals/${body.id}`)).body.status === 'running';
    if (await isRunning())
      await lifecycle.until(() => lifecycle.frames.some(({ event }) => event?.type === 'terminal.exited'));
    await lifecycle.close();
    const capture = await api.get<{ content: string }>(`/api/terminals/${body.id}/capture`);
    expect(capture.body).toMatchObject({ cursor_position: null });
    expect(capture.body.content).toMatch(/^bye\n/);
  });

  it('unknown id: 404', async () => {
    const { status, body } = await api.get('/api/terminals/term_none/capture');
    expect({ status, body }).toEqual(NOT_FOUND);
  });

  it('include_scrollback is true or false', async () => {
    const id = await printed('');
    expect((await api.get(`/api/terminals/${id}/capture?include_scrollback=yes`)).status).toBe(400);
  });
});

describe('POST /api/terminals/:id/resize-reflow', () => {
  it('resizes a terminal without tmux, and reports that nothing was reflowed', async () => {
    const id = await printed('', { backend: 'pty' });
    const { status, body } = await api.post(`/api/terminals/${id}/resize-reflow`, { cols: 40, rows: 10 });
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'ok', cols: 40, rows: 10, reflow_applied: false },
    });
    expect((await api.get(`/api/terminals/${id}/size`)).body).toEqual({ cols: 40, rows: 10 });
  });

  it('needs both dimensions', async () => {
    const id = await printed('');
    expect((await api.post(`/api/terminals/${id}/resize-reflow`, { cols: 40 })).status).toBe(400);
  });

  it('unknown id: 404', async () => {
    const { status, body } = await api.post('/api/terminals/term_none/resize-reflow', { cols: 40, rows: 10 });
    expect({ status, body }).toEqual(NOT_FOUND);
  });
});
