import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { Verb } from '#dist/contract/access.js';
import type { OpenApiDocument, OpenApiOperation } from '../support/conformance.js';
import { type Guarded, guard } from '../support/guarded.js';
import { useService } from '../support/use-service.js';

interface Operation extends OpenApiOperation {
  'x-verbs'?: Verb[];
  'x-reach'?: string;
}

interface Route {
  name: string;
  method: string;
  path: string;
  verbs: Verb[] | undefined;
  reach: string | undefined;
}

const used = useService();
let guarded: Guarded;
let routes: Route[];
/** A terminal with the label team=a, and one with team=b. */
let inside: string;
let outside: string;
const tokens: Partial<Record<Verb, string>> = {};
const bound: Partial<Record<Verb, string>> = {};

/** Valid request bodies that name the terminal `id`, so that only the token decides the answer. */
const BODIES: Record<string, (id: string) => unknown> = {
  'POST /api/terminals/batch/create': () => ({ terminals: [{ command: ['cat'] }] }),
  'POST /api/terminals/batch/run': (id) => ({ terminalIds: [id], command: 'true', waitFor: 0 }),
  'POST /api/terminals/batch/execute': (id) => ({ terminalIds: [id], prompt: 'x', cliType: 'default' }),
  'POST /api/terminals/batch/input': (id) => ({ terminalIds: [id], data: 'x' }),
  'POST /api/terminals/changes': (id) => ({ cursors: { [id]: null } }),
  'POST /api/terminals/wait': (id) => ({ terminalIds: [id], until: ['waiting'], timeoutMs: 0 }),
  'POST /api/recordings/start': (id) => ({ terminal_id: id }),
  'POST /api/search': (id) => ({ query: 'x', filters: { terminalId: id } }),
  'PATCH /api/terminals/{id}': () => ({ name: 'renamed' }),
  'POST /api/terminals/{id}/size': () => ({ cols: 80, rows: 24 }),
  'POST /api/terminals/{id}/resize': () => ({ cols: 80, rows: 24 }),
  'POST /api/terminals/{id}/resize-reflow': () => ({ cols: 80, rows: 24 }),
  'POST /api/terminals/{id}/input': () => ({ data: 'x' }),
  'POST /api/terminals/{id}/keys': () => ({ keys: ['a'] }),
  'POST /api/terminals/{id}/execute': () => ({ prompt: 'x', cliType: 'default' }),
  'POST /api/terminals/{id}/prompt': () => ({ prompt: 'x', cliType: 'default' }),
  'POST /api/terminals/{id}/prompts': () => ({ prompt: 'x' }),
  'POST /api/terminals/{id}/lease': () => ({ ttlMs: 1 }),
  'PUT /api/terminals/{id}/lease': () => ({ leaseId: 'lease_x', ttlMs: 1 }),
  'POST /api/terminals/{id}/signal': () => ({ signal: 'CONT' }),
  'POST /api/terminals/{id}/wait': () => ({ until: 'exit', timeoutMs: 0 }),
};

/** Routes that answer only on the listener of the dashboard. */
const ELSEWHERE = ['GET /session', 'POST /session', 'DELETE /session'];

/** Routes that would change the state that the other tests rely on. */
const DESTRUCTIVE = ['POST /api/settings/token/rotate', 'DELETE /api/terminals/{id}'];

const filled = ({ path }: Route, id: string) =>
  path
    .replace('{id}', path.startsWith('/api/terminals/') || path.startsWith('/api/processes/') ? id : 'none')
    .replace('{terminalId}', id)
    .replace(/\{\w+\}/g, 'none')
    .replace(/^\/api\/terminals\/[^/]+\/lease$/, (lease) => `${lease}?leaseId=lease_x`);

async function ask(
  route: Route,
  token: string | undefined,
  id = inside,
): Promise<[number, string | undefined]> {
  const sent = BODIES[route.name]?.(id) ?? (route.method === 'GET' ? undefined : {});
  const { status, body } = await guarded.send(token, route.method, filled(route, id), sent);
  return [status, body?.code];
}

const isRefused = ([status, code]: [number, string | undefined]) =>
  status === 401 || (status === 403 && (code === 'verb-missing' || code === 'outside-scope'));

beforeAll(async () => {
  const { body } = await used.api.get<OpenApiDocument>('/openapi.json');
  routes = Object.entries(body.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      verbs: operation['x-verbs'],
      reach: operation['x-reach'],
    })),
  );
  // One of the routes makes a fleet: its server listens on a free port of the loopback.
  await used.api.patch('/api/settings', { fleet: { port: 0, listen: '127.0.0.1' } });
  guarded = await guard(used.service);
  inside = await guarded.open({ team: 'a' });
  outside = await guarded.open({ team: 'b' });
  for (const verb of Verb.options) {
    tokens[verb] = (await guarded.make([verb])).token;
    if (verb !== 'admin') bound[verb] = (await guarded.make([verb], { selector: 'team=a' })).token;
  }
});

test('every route of the document says what it needs', () => {
  expect(routes.length).toBeGreaterThan(100);
  expect(routes.filter(({ reach }) => reach === undefined).map(({ name }) => name)).toEqual([]);
  const open = routes.filter(({ reach }) => reach === 'open').map(({ name }) => name);
  expect(open.sort()).toEqual([...ELSEWHERE, 'GET /api/health', 'GET /health'].sort());
});

describe('every route', () => {
  test('needs a token: none, an unknown one and one that was deleted are 401', async () => {
    const deleted = await guarded.make(['admin']);
    await guarded.send(guarded.own, 'DELETE', `/api/tokens/${deleted.id}`);
    const expired = await guarded.make(['admin'], { expiresInMs: 1_000 });
    // `expiresAt` is a time of the clock by which the service decides.
    while (Date.now() <= expired.expiresAt!) await pause(expired.expiresAt! - Date.now() + 1);
    for (const route of routes.filter(({ reach }) => reach !== 'open')) {
      for (const token of [undefined, 'at_unknown', deleted.token, expired.token])
        expect([route.name, await ask(route, token)]).toEqual([route.name, [401, 'unauthorized']]);
    }
  });

  test.each(Verb.options)(
    'is allowed or 403 for a token with the verb %s alone',
    async (verb) => {
      const kept = routes.filter(({ name }) => !DESTRUCTIVE.includes(name) && !ELSEWHERE.includes(name));
      let allowed = 0;
      for (const route of kept) {
        // A token with every right would change the settings and so end guarded mode.
        if (verb === 'admin' && route.method !== 'GET' && route.verbs?.includes('admin')) continue;
        const has = (route.verbs ?? []).every((needed) => needed === verb || verb === 'admin');
        const answer = await ask(route, tokens[verb]);
        expect([route.name, has, isRefused(answer) ? answer : 'allowed']).toEqual([
          route.name,
          has,
          has ? 'allowed' : [403, 'verb-missing'],
        ]);
        if (has) allowed++;
      }
      expect(allowed).toBeGreaterThan(5);
    },
    60_000,
  );

  test('treats a terminal outside of the scope as one that does not exist', async () => {
    const unknown = `term_${'0'.repeat(12)}`;
    let scoped = 0;
    for (const route of routes) {
      const { name, verbs = [], reach } = route;
      if (reach === 'open' || verbs.includes('admin') || DESTRUCTIVE.includes(name)) continue;
      const all = await guarded.make(verbs.length > 0 ? verbs : ['read'], { selector: 'team=a' });
      const there = await ask(route, all.token, outside);
      const nowhere = await ask(route, all.token, unknown);
      expect([name, there]).toEqual([name, nowhere]);
      if (reach === 'whole') expect([name, there]).toEqual([name, [403, 'outside-scope']]);
      if (reach === 'terminal') {
        expect([name, there]).toEqual([name, [404, 'terminal-not-found']]);
        const own = await ask(route, all.token, inside);
        expect([name, own[0] === 404 ? own : 'there']).not.toEqual([name, [404, 'terminal-not-found']]);
        scoped++;
      }
      await guarded.send(guarded.own, 'DELETE', `/api/tokens/${all.id}`);
    }
    expect(scoped).toBeGreaterThan(25);
  });
});
