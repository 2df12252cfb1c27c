import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Watcher, watch } from '../support/http.js';
import { Random } from '../support/random.js';
import { dataOf, startRecording, stopRecording } from '../support/recordings.js';
import { found, print, search } from '../support/search.js';
import { charsOf, MAKERS } from '../support/secret-corpus.js';
import { type Service, startService } from '../support/service.js';

const random = new Random(7);
const githubToken = () => MAKERS.find(({ kind }) => kind === 'github-token')!.make(random);
const word = () => charsOf(random, 'abcdefghijklmnopqrstuvwxyz', 20);

let service: Service;
let api: Api;
let watcher: Watcher;

beforeAll(async () => {
  service = await startService({ env: { SHELL: '/bin/bash' } });
  await connect();
});
afterAll(async () => {
  await watcher?.close();
  await service?.stop();
});

async function connect(): Promise<void> {
  api = createApi(service.url);
  watcher = await watch(service.url);
}

const set = async (settings: object) => expect((await api.patch('/api/settings', settings)).status).toBe(200);

/** Prints the text with a unique word after it; resolves with the text as the index has it. */
async function indexed(text: string, options: object = {}): Promise<string> {
  const end = word();
  await print(api, `${text}\nend ${end}\n`, options);
  return (await found(api, end))[0]!.document.content.replace(`\nend ${end}`, '');
}

const exported = async (id: string, body: object) => {
  const headers = { 'content-type': 'application/json' };
  const path = `/api/recordings/${id}/export`;
  return api.raw({ method: 'POST', path, headers, body: JSON.stringify(body) });
};

test('nothing is redacted, and no key is made, while the settings are as they come', async () => {
  const token = githubToken();
  const env = { DB_PASSWORD: `pw-${word()}` };
  expect(await indexed(`${token} ${env.DB_PASSWORD}`, { env })).toBe(`${token} ${env.DB_PASSWORD}`);
  expect(existsSync(join(service.home, 'data', 'redaction-key'))).toBe(false);
});

describe('with search.redact', () => {
  beforeAll(() => set({ search: { redact: true } }));

  test('a printed key is not found, and what is left says what it was', async () => {
    const token = githubToken();
    expect(await indexed(`the key ${token} is mine`)).toMatch(
      /^the key \[redacted:github-token:[0-9a-f]{8}\] is mine$/,
    );
    expect(await search(api, token.slice(8, 20))).toEqual([]);
  });

  test('a key that is coloured, or longer than a row, is none the less one', async () => {
    const long = MAKERS.find(({ kind }) => kind === 'openai-key')!.make(random);
    expect(await indexed(`a ${long} b`)).toMatch(/^a \[redacted:openai-key:\w+\] b$/);
    const token = githubToken();
    const coloured = `\x1b[1m${token.slice(0, 20)}\x1b[31m${token.slice(20)}\x1b[m`;
    expect(await indexed(`a ${coloured} b`)).toMatch(/^a \[redacted:github-token:\w+\] b$/);
  });

  test('a key that is printed in two pieces with a pause is found in neither', async () => {
    const token = githubToken();
    const [begin, end] = [word(), word()];
    const script = `stty -echo; printf '%s ${token.slice(0, 20)}' ${begin}; read line; echo '${token.slice(20)} ${end}'; exec cat`;
    const { id } = (await api.post<Terminal>('/api/terminals', { command: ['sh', '-c', script] })).body;
    // The terminal was quiet, so the feed has taken the first piece.
    const [first] = await found(api, begin);
    expect(first!.document.content).toBe(`${begin} [redacted:github-token:cut]`);
    await api.post(`/api/terminals/${id}/input`, { data: 'go\r' });
    const [second] = await found(api, { query: end, filters: { type: 'output' } });
    expect(second!.document.content).toMatch(/^\[redacted:github-token:[0-9a-f]{8}\] [a-z]{20}$/);
  });

  test('values of secret variables are not found, wherever they come from', async () => {
    const [mine, named] = [word(), word()];
    const env = { MY_TOKEN: mine, PLAIN: named };
    expect(await indexed(`${mine} ${named}`, { env, secrets: ['PLAIN'] })).toMatch(
      /^\[redacted:MY_TOKEN:\w+\] \[redacted:PLAIN:\w+\]$/,
    );
    // A terminal's secrets do not count in another terminal.
    expect(await indexed(`${mine} ${named}`)).toBe(`${mine} ${named}`);
  });

  test('typed lines are redacted, too', async () => {
    const { id } = (await api.post<Terminal>('/api/terminals', { command: ['cat'] })).body;
    const [token, end] = [githubToken(), word()];
    await api.post(`/api/terminals/${id}/input`, { data: `${end} ${token}\r` });
    const hits = await found(api, { query: end, filters: { type: 'input' } });
    expect(hits[0]!.document.content).toMatch(new RegExp(`^${end} \\[redacted:github-token:\\w+\\]$`));
  });

  test('own patterns and allowed texts count at once', async () => {
    await set({ redact: { patterns: { 'acme-key': 'acme_[a-z]{6}' }, allow: ['acme_public'.slice(0, 11)] } });
    expect(await indexed('acme_secret acme_public')).toMatch(/^\[redacted:acme-key:\w+\] acme_public$/);
    await set({ redact: { patterns: { 'acme-key': null } } });
    expect(await indexed('acme_secret')).toBe('acme_secret');
  });

  test('the live output and the screen keep every character', async () => {
    const token = githubToken();
    const id = await print(api, `${token} `);
    await watcher.untilOutput(id, token);
    const { body } = await api.get<{ output: string }>(`/api/terminals/${id}/output`);
    expect(JSON.stringify(body)).toContain(token);
  });

  test('the values of a running terminal are known after a restart', async () => {
    const env = { MY_TOKEN: word() };
    const command = ['sh', '-c', 'while read line; do echo "$MY_TOKEN $line"; done'];
    const { id } = (await api.post<Terminal>('/api/terminals', { command, env })).body;
    await watcher.close();
    const { home } = service;
    await service.kill('SIGKILL');
    service = await startService({ home });
    await connect();
    const end = word();
    await api.post(`/api/terminals/${id}/input`, { data: `${end}\r` });
    const [hit] = await found(api, { query: `${end}`, filters: { type: 'output' } });
    await found(api, 'redacted:MY_TOKEN');
    expect(hit!.document.content).not.toContain(env.MY_TOKEN);
    expect(await search(api, env.MY_TOKEN)).toEqual([]);
  });
});

describe('an export', () => {
  let id: string;
  let token: string;
  let value: string;

  beforeAll(async () => {
    [token, value] = [githubToken(), word()];
    const coloured = `\\033[1m${token.slice(0, 9)}\\033[31m${token.slice(9)}`;
    const script = `read line; printf '${coloured}'; echo " $V DONE"; exec cat`;
    const env = { V: value };
    const { body } = await api.post<Terminal>('/api/terminals', {
      ...{ command: ['sh', '-c', script], env, secrets: ['V'] },
    });
    id = await startRecording(api, body.id);
    await api.post(`/api/terminals/${body.id}/input`, { data: `use ${token}\r` });
    await watcher.untilOutput(body.id, 'DONE');
    const recording = await stopRecording(api, id);
    expect(dataOf(recording, 'input')).toContain(token);
    // The secrets are still known once the terminal is gone.
    await api.delete(`/api/terminals/${body.id}`);
  });

  const SECRETS = () => [token, token.slice(9), value];

  test.each(['text', 'html', 'asciicast', 'json'])(
    'as %s is redacted on request, and named so',
    async (format) => {
      const { status, headers, body: text } = await exported(id, { format, redact: true });
      expect(status).toBe(200);
      for (const secret of SECRETS()) expect(text).not.toContain(secret);
      expect(text).toMatch(/\[redacted:github-token:[0-9a-f]{8}\]/);
      expect(text).toMatch(/\[redacted:V:[0-9a-f]{8}\]/);
      expect(headers['content-disposition']).toContain('.redacted.');
    },
  );

  test('of many slices is whole, and each of its secrets is replaced', async () => {
    const script = `read line; seq -f '%g is ${token} in \\033[1mbold\\033[m' 1 20000 | sed 's/$/ ./'; echo DO''NE`;
    const { body } = await api.post<Terminal>('/api/terminals', { command: ['sh', '-c', script] });
    const large = await startRecording(api, body.id);
    await api.post(`/api/terminals/${body.id}/input`, { data: 'go\r' });
    await watcher.untilOutput(body.id, 'DONE');
    await stopRecording(api, large);
    const whole = (await exported(large, { format: 'text', redact: false })).body;
    const redacted = (await exported(large, { format: 'text', redact: true })).body;
    const marker = /\[redacted:github-token:[0-9a-f]{8}\]/.exec(redacted)?.[0] ?? '';
    expect(whole.split(token)).toHaveLength(20_001);
    expect(redacted).toBe(whole.replaceAll(token, marker));
    const json = JSON.parse((await exported(large, { format: 'json', redact: true })).body);
    expect(dataOf(json, 'output')).toBe(
      dataOf(JSON.parse((await exported(large, { format: 'json' })).body), 'output').replaceAll(
        token,
        marker,
      ),
    );
  });

  test('is redacted by itself only with recordings.redactExports, and as json only on request', async () => {
    const isWhole = async (body: object) => (await exported(id, body)).body.includes(value);
    for (const format of ['text', 'html', 'cast', 'json']) expect(await isWhole({ format })).toBe(true);
    await set({ recordings: { redactExports: true } });
    for (const format of ['text', 'html', 'cast']) {
      expect(await isWhole({ format })).toBe(false);
      expect(await isWhole({ format, redact: false })).toBe(true);
    }
    expect(await isWhole({ format: 'json' })).toBe(true);
    // The recording on the disk is unchanged.
    expect(JSON.stringify((await api.get(`/api/recordings/${id}`)).body)).toContain(value);
  });
});

test('wrong settings and secrets are refused with what is wrong', async () => {
  const slow = await api.patch('/api/settings', { redact: { patterns: { slow: 'abc(a+)+$' } } });
  expect(slow.status).toBe(400);
  expect(JSON.stringify(slow.body)).toContain('redact.patterns.slow');
  const bad = await api.patch('/api/settings', { redact: { allow: [{ pattern: '[' }] } });
  expect(bad.status).toBe(400);
  const create = await api.post('/api/terminals', { secrets: ['NOT_THERE'] });
  expect(create.status).toBe(400);
  expect(create.body).toEqual(failed("secrets: the value of NOT_THERE is not in the program's environment"));
});
