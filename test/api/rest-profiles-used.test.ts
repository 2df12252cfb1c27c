import { realpath } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Profile } from '#dist/contract/profile.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure, type Watcher, watch } from '../support/http.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let api: Api;

beforeAll(async () => {
  service = await startService({ env: { SHELL: '/bin/bash' } });
  api = createApi(service.url);
});
afterAll(() => service?.stop());

const make = async (body: object) => (await api.post<{ id: string }>('/api/profiles', body)).body;
const defaults = async () => {
  const { body } = await api.get<{ profiles: Profile[] }>('/api/profiles');
  return body.profiles.filter(({ is_default }) => is_default).map(({ id }) => id);
};
const MINIMAL = { name: 'minimal', path: '/bin/sh' };

describe('a terminal of a custom profile', () => {
  let watcher: Watcher;
  beforeAll(async () => {
    watcher = await watch(service.url, 'events=lifecycle');
  });
  afterAll(() => watcher?.close());

  test('starts its path with its args, env and cwd', async () => {
    const cwd = await realpath('/tmp');
    const script = 'echo "[$0|$1|$PWD|$COLOUR|$TERM]"; exec cat';
    const { id } = await make({
      name: 'tool',
      path: '/bin/sh',
      args: ['-c', script, 'zero', 'über "one"'],
      env: { COLOUR: 'gr\u00fcn', TERM: 'vt220' },
      cwd,
    });
    const { body } = await api.post<Terminal>('/api/terminals', { profileId: id });
    expect(body).toMatchObject({ profile: id, name: `Terminal-${id}` });
    await watcher.untilOutput(body.id, `[zero|über "one"|${cwd}|gr\u00fcn|vt220]`);
  });

  test('takes cwd and env of the request before its own', async () => {
    const script = 'echo "[$PWD|$A|$B]"; exec cat';
    const profile = { ...MINIMAL, args: ['-c', script], env: { A: 'profile', B: 'profile' }, cwd: '/tmp' };
    const { id } = await make(profile);
    const request = { profile: id, cwd: '/', env: { B: 'request' } };
    const { body } = await api.post<Terminal>('/api/terminals', request);
    await watcher.untilOutput(body.id, '[/|profile|request]');
  });

  test('whose path does not exist: 500 {error} that names it', async () => {
    const { id } = await make({ name: 'gone', path: '/no/such/shell' });
    const { status, body } = await api.post<Failure>('/api/terminals', { profileId: id });
    expect([status, body]).toEqual([500, failed(expect.stringContaining('/no/such/shell'))]);
  });

  test('that was deleted: the default profile, no error', async () => {
    const { id } = await make(MINIMAL);
    await api.delete(`/api/profiles/${id}`);
    const { status, body } = await api.post<Terminal>('/api/terminals', { profileId: id });
    expect([status, body.profile]).toEqual([200, 'bash']);
  });
});

test('the setting terminals.defaultProfile may name a custom profile', async () => {
  const { id } = await make(MINIMAL);
  const { status } = await api.patch('/api/settings', { terminals: { defaultProfile: id } });
  expect(status).toBe(200);
  expect(await defaults()).toEqual([id]);
  expect((await api.post<Terminal>('/api/terminals')).body.profile).toBe(id);
  await api.delete(`/api/profiles/${id}`);
  expect(await defaults()).toEqual(['bash']);
});
