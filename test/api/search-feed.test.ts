import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { type Api, createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { found, print, search } from '../support/search.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let api: Api;

beforeEach(async () => {
  await start();
});
afterEach(() => service.stop());

async function start(home?: string): Promise<void> {
  service = await startService({ home, env: { SHELL: '/bin/bash' } });
  api = createApi(service.url);
}

async function create(options: object): Promise<string> {
  const { status, body } = await api.post<Terminal>('/api/terminals', options);
  expect(status).toBe(200);
  return body.id;
}

async function type(id: string, data: string): Promise<void> {
  expect((await api.post(`/api/terminals/${id}/input`, { data })).body).toEqual({ status: 'ok' });
}

/** Resolves once the terminal shows the text. */
async function shows(id: string, text: string): Promise<void> {
  await eventually(`${id} shows ${text}`, async () => {
    const { body } = await api.get<{ raw: string }>(`/api/terminals/${id}/output`);
    return body.raw.includes(text);
  });
}

async function setIndexing(index: boolean): Promise<void> {
  expect((await api.patch('/api/settings', { search: { index } })).status).toBe(200);
}

const contentsOf = async (query: string) => (await search(api, query)).map((hit) => hit.document.content);

/** Prints a mark and waits until it is found: text that is still missing then never comes. */
async function settled(): Promise<void> {
  const mark = `mark-${Math.random()}`;
  await print(api, mark);
  await found(api, mark);
}

describe('the search index', () => {
  test('gets printed lines, without escape sequences, as output', async () => {
    const id = await create({
      command: ['sh', '-c', 'printf "\\033[31mred \\033[1mwallaby\\033[m\\nnext\\n"; cat'],
    });
    const [hit] = await found(api, 'red wallaby');
    expect(hit?.document).toMatchObject({ terminalId: id, type: 'output', content: 'red wallaby\nnext' });
  });

  test('gets typed lines as input, as they were when they were finished', async () => {
    const id = await create({ command: ['sh', '-c', 'printf READY; cat > /dev/null'] });
    await shows(id, 'READY');
    await type(id, 'echo kowarri');
    await type(id, 'x\x7f\x1b[D --all\r');
    const typed = { query: 'kowarri', filters: { type: 'input' } };
    await found(api, typed);
    expect((await search(api, typed)).map(({ document }) => document)).toMatchObject([
      { terminalId: id, type: 'input', content: 'echo kowarri --all' },
    ]);
    await api.post(`/api/terminals/${id}/execute`, { prompt: 'line one\nline two', cliType: 'default' });
    await found(api, { query: 'line two', filters: { type: 'input' } });
  });

  test('gets nothing from a terminal created with index: false', async () => {
    const id = await create({ index: false, command: ['sh', '-c', 'echo hidden bettong; cat'] });
    await shows(id, 'hidden bettong');
    await type(id, 'typed bettong\r');
    await shows(id, 'typed bettong');
    await api.delete(`/api/terminals/${id}`);
    await settled();
    expect(await contentsOf('bettong')).toEqual([]);
  });

  test('gets nothing while the setting search.index is off, and text again once it is on', async () => {
    const id = await create({ command: ['sh', '-c', 'printf READY; cat >/dev/null'] });
    await shows(id, 'READY');
    await setIndexing(false);
    await type(id, 'potoroo while off\r');
    await shows(id, 'potoroo while off');
    const hidden = await print(api, 'a program potoroo\n');
    await shows(hidden, 'a program potoroo');
    await api.delete(`/api/terminals/${hidden}`);
    await setIndexing(true);
    await settled();
    await type(id, 'potoroo while on\r');
    await found(api, 'potoroo while on', 2);
    const contents = await contentsOf('potoroo');
    expect(contents.filter((content) => /program/.test(content))).toEqual([]);
  });

  test('does not get text after a restart that was printed while the setting was off', async () => {
    const id = await create({ command: ['sh', '-c', 'stty -echo; echo pademelon before; cat'] });
    await found(api, 'pademelon before');
    await setIndexing(false);
    await type(id, 'pademelon while off\r');
    await shows(id, 'pademelon while off');
    const { home } = service;
    // Clearing waits for the feeds, and stores their positions.
    expect((await api.delete('/api/search/index')).status).toBe(200);
    await service.kill('SIGKILL');
    const file = join(home, 'config', 'config.json');
    const config = JSON.parse(await readFile(file, 'utf8')) as { search: object };
    expect(config.search).toMatchObject({ index: false });
    await writeFile(file, JSON.stringify({ ...config, search: { index: true } }), { mode: 0o600 });
    await start(home);
    await type(id, 'pademelon after\r');
    await found(api, { query: 'pademelon after', filters: { type: 'output' } });
    expect(await contentsOf('pademelon while off')).toEqual([]);
  });

  test('keeps the text of exited and deleted terminals', async () => {
    const exited = await print(api, 'exited bandicoot\n');
    await found(api, 'exited bandicoot');
    await api.delete(`/api/terminals/${exited}`);
    const running = await create({ command: ['sh', '-c', 'echo deleted bandicoot; cat'] });
    await shows(running, 'deleted bandicoot');
    await api.delete(`/api/terminals/${running}`);
    const hits = await found(api, 'bandicoot', 2);
    expect(hits.map(({ document }) => document.terminalId)).toEqual([running, exited]);
  });

  test('survives a stop of the service, with text printed right before it', async () => {
    await print(api, 'first quoll\n');
    const before = await found(api, 'first quoll');
    const id = await create({ command: ['sh', '-c', 'echo last quoll; cat'] });
    await shows(id, 'last quoll');
    const { home } = service;
    expect(await service.kill('SIGTERM')).toBe(0);
    await start(home);
    expect(await contentsOf('last quoll')).toEqual(['last quoll']);
    expect(await search(api, 'first quoll')).toEqual(before);
  });

  test('survives SIGKILL, and goes on at its position, with nothing twice', async () => {
    const id = await create({ command: ['sh', '-c', 'stty -echo; echo before numbat; cat'] });
    const before = await found(api, 'before numbat');
    // Text is committed within half a second, and at once by a search.
    const { home } = service;
    await service.kill('SIGKILL');
    await start(home);
    expect(await search(api, 'before numbat')).toEqual(before);
    await type(id, 'after numbat\r');
    await found(api, { query: 'after numbat', filters: { type: 'output' } });
    expect(await contentsOf('before numbat')).toEqual(['before numbat']);
  });
});
