import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { type Api, createApi, type Watcher, watch } from '../support/http.js';
import { Random } from '../support/random.js';
import { startRecording, stopRecording } from '../support/recordings.js';
import { found } from '../support/search.js';
import { charsOf, MAKERS } from '../support/secret-corpus.js';
import { type Service, startService } from '../support/service.js';

const random = new Random(9);
const word = () => charsOf(random, 'abcdefghijklmnopqrstuvwxyz', 20);

let service: Service;
let api: Api;
let watcher: Watcher;

beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
  watcher = await watch(service.url);
  const settings = { search: { redact: true }, recordings: { redactExports: true } };
  expect((await api.patch('/api/settings', settings)).status).toBe(200);
});
afterAll(async () => {
  await watcher?.close();
  await service?.stop();
});

test.each(['bash', 'zsh', 'fish'])(
  'a key typed at the prompt of %s, over several rows, is neither in the index nor in an export',
  async (shell) => {
    const token = MAKERS.find(({ kind }) => kind === 'github-token')!.make(random);
    const [begin, end] = [word(), word()];
    const { id } = (await api.post<Terminal>('/api/terminals', { profileId: shell, cols: 33 })).body;
    await api.post(`/api/terminals/${id}/wait`, { until: 'prompt', timeoutMs: 20_000 });
    const recording = await startRecording(api, id);
    await api.post(`/api/terminals/${id}/input`, {
      data: `: ${begin} ${token} x; echo ${end.slice(0, 9)}""${end.slice(9)}\r`,
    });
    await watcher.untilOutput(id, end);
    const hits = await found(api, { query: end, filters: { type: 'output' } });
    await stopRecording(api, recording);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ format: 'text' });
    const path = `/api/recordings/${recording}/export`;
    const { body: text } = await api.raw({ method: 'POST', path, headers, body });
    const shown = [text, ...hits.map(({ document }) => document.content)].join('\n');
    const pieces = Array.from({ length: token.length - 8 }, (_, at) => token.slice(at, at + 8));
    expect(pieces.filter((piece) => shown.includes(piece))).toEqual([]);
  },
);
