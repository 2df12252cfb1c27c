import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Profile } from '#dist/contract/profile.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure } from '../support/http.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let api: Api;

const start = async (home?: string) => {
  service = await startService({ home, env: { SHELL: '/bin/bash' } });
  api = createApi(service.url);
};
beforeAll(() => start());
afterAll(() => service?.stop());

const list = async () => (await api.get<{ profiles: Profile[] }>('/api/profiles')).body.profiles;
const make = async (body: object) => {
  const { status, body: answer } = await api.post<{ id: string; status: string }>('/api/profiles', body);
  expect(status).toBe(201);
  return answer;
};
const MINIMAL = { name: 'minimal', path: '/bin/sh' };

describe('GET /api/profiles', () => {
  test('the detected shells with all fields, one of them the default', async () => {
    const { status, body } = await api.get<{ profiles: Profile[] }>('/api/profiles');
    expect(status).toBe(200);
    expect(body.profiles.find(({ id }) => id === 'bash')).toEqual({
      id: 'bash',
      name: 'bash',
      path: '/bin/bash',
      args: [],
      env: {},
      cwd: null,
      icon: null,
      is_default: true,
      is_custom: false,
    });
    expect(body.profiles.filter(({ is_default }) => is_default)).toHaveLength(1);
  });

  test('custom profiles come after the detected shells', async () => {
    const { id } = await make(MINIMAL);
    const custom = (await list()).map(({ is_custom }) => is_custom);
    expect(custom).toEqual([...custom].sort());
    expect((await list()).at(-1)!.id).toBe(id);
  });
});

describe('POST /api/profiles', () => {
  test('201 {id, status: created}; the id is `custom-` and the time in milliseconds', async () => {
    const before = Date.now();
    const answer = await make(MINIMAL);
    expect(answer).toEqual({ id: expect.stringMatching(/^custom-\d{13}$/), status: 'created' });
    const time = Number(answer.id.slice('custom-'.length));
    expect(time).toBeGreaterThanOrEqual(before);
  });

  test('ids are unique even within one millisecond', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => make(MINIMAL)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(50);
    await Promise.all(made.map(({ id }) => api.delete(`/api/profiles/${id}`)));
  });

  test('args and env default to empty, cwd and icon to null', async () => {
    const { id } = await make(MINIMAL);
    expect((await api.get(`/api/profiles/${id}`)).body).toEqual({
      id,
      ...MINIMAL,
      args: [],
      env: {},
      cwd: null,
      icon: null,
      is_default: false,
      is_custom: true,
    });
  });

  test('is_custom is forced true and is_default false; a sent id is ignored', async () => {
    const { id } = await make({ ...MINIMAL, id: 'bash', is_custom: false, is_default: true, more: 1 });
    expect(id).toMatch(/^custom-/);
    expect((await api.get(`/api/profiles/${id}`)).body).toMatchObject({
      is_custom: true,
      is_default: false,
    });
    expect((await list()).find(({ is_default }) => is_default)?.id).toBe('bash');
  });

  test('every field that a client has read of a profile may be sent back', async () => {
    const { id } = await make({ ...MINIMAL, args: ['-x'], env: { A: 'ä' }, cwd: '/tmp', icon: 'star' });
    const { body } = await api.get<Profile>(`/api/profiles/${id}`);
    const copy = await make(body);
    expect((await api.get(`/api/profiles/${copy.id}`)).body).toEqual({ ...body, id: copy.id });
    await make(await api.get<Profile>('/api/profiles/bash').then((answer) => answer.body));
  });

  test.each<[string, unknown]>([
    ['without a name', { path: '/bin/sh' }],
    ['with an empty name', { name: '', path: '/bin/sh' }],
    ['without a path', { name: 'x' }],
    ['with an empty path', { name: 'x', path: '' }],
    ['with args that are no list of strings', { ...MINIMAL, args: [1] }],
    ['with env that is not string to string', { ...MINIMAL, env: { A: 1 } }],
    ['with a variable that has no name', { ...MINIMAL, env: { '': 'x' } }],
    ['with a NUL in the path', { ...MINIMAL, path: '/bin/\0sh' }],
    ['with a name of 1,001 characters', { ...MINIMAL, name: 'x'.repeat(1_001) }],
    ['with more than a program can be given', { ...MINIMAL, args: Array(9).fill('x'.repeat(32_768)) }],
    ['without a body', undefined],
  ])('400 {error} %s', async (_what, body) => {
    const before = await list();
    const { status, body: answer } = await api.post<Failure>('/api/profiles', body);
    expect([status, answer]).toEqual([400, failed()]);
    expect(await list()).toEqual(before);
  });
});

describe('GET /api/profiles/:id', () => {
  test('the bare profile, detected or custom', async () => {
    expect((await api.get('/api/profiles/bash')).body).toMatchObject({ id: 'bash', is_custom: false });
    const { id } = await make(MINIMAL);
    expect((await api.get(`/api/profiles/${id}`)).body).toMatchObject({ id, is_custom: true });
  });

  test('by exact id, not name: 404 Profile not found', async () => {
    await make(MINIMAL);
    for (const id of ['minimal', 'BASH', 'custom-1', '__proto__', '%20']) {
      const { status, body } = await api.get<Failure>(`/api/profiles/${id}`);
      expect([status, body]).toEqual([404, failed('Profile not found')]);
    }
  });
});

describe('PUT /api/profiles/:id', () => {
  test('replaces a custom profile as a whole: {status: updated}', async () => {
    const { id } = await make({ ...MINIMAL, args: ['-x'], env: { A: '1' }, cwd: '/tmp', icon: 'star' });
    const sent = { id: 'custom-7', name: 'new', path: '/bin/bash', is_default: true, is_custom: false };
    const { status, body } = await api.put(`/api/profiles/${id}`, sent);
    expect([status, body]).toEqual([200, { status: 'updated' }]);
    expect((await api.get(`/api/profiles/${id}`)).body).toEqual({
      id,
      name: 'new',
      path: '/bin/bash',
      args: [],
      env: {},
      cwd: null,
      icon: null,
      is_default: false,
      is_custom: true,
    });
    expect((await api.put(`/api/profiles/${id}`, { name: 'x' })).status).toBe(400);
  });

  test('404 Custom profile not found for an unknown id and for a detected shell', async () => {
    const before = await list();
    for (const id of ['bash', 'custom-1']) {
      const { status, body } = await api.put<Failure>(`/api/profiles/${id}`, MINIMAL);
      expect([status, body]).toEqual([404, failed('Custom profile not found')]);
    }
    expect(await list()).toEqual(before);
  });
});

describe('DELETE /api/profiles/:id', () => {
  test('{status: deleted}; then it is unknown', async () => {
    const { id } = await make(MINIMAL);
    const { status, body } = await api.delete(`/api/profiles/${id}`);
    expect([status, body]).toEqual([200, { status: 'deleted' }]);
    expect((await api.get(`/api/profiles/${id}`)).status).toBe(404);
    expect((await api.delete(`/api/profiles/${id}`)).status).toBe(404);
  });

  test('404 Custom profile not found for an unknown id and for a detected shell', async () => {
    for (const id of ['bash', 'custom-1']) {
      const { status, body } = await api.delete<Failure>(`/api/profiles/${id}`);
      expect([status, body]).toEqual([404, failed('Custom profile not found')]);
    }
    expect((await api.get('/api/profiles/bash')).status).toBe(200);
  });
});

test('custom profiles persist across restarts, also when the service is killed', async () => {
  const { id } = await make({ ...MINIMAL, name: 'häß', args: ['-l'], env: { A: '1' }, cwd: '/', icon: 'x' });
  const gone = await make(MINIMAL);
  await api.put(`/api/profiles/${id}`, { ...MINIMAL, name: 'changed', env: { B: '2' } });
  await api.delete(`/api/profiles/${gone.id}`);
  const before = await list();
  const { home } = service;
  await service.kill('SIGKILL');
  await start(home);
  expect(await list()).toEqual(before);
  expect((await api.get(`/api/profiles/${id}`)).body).toMatchObject({ name: 'changed', env: { B: '2' } });

  const { home: again } = service;
  expect(await service.kill('SIGTERM')).toBe(0);
  await start(again);
  expect(await list()).toEqual(before);
});
