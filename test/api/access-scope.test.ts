import { beforeAll, describe, expect, test } from 'vitest';
import type { CreatedToken } from '#dist/contract/access.js';
import { EventStream } from '../support/event-client.js';
import { type Guarded, withBoundToken } from '../support/guarded.js';
import { useService } from '../support/use-service.js';

const used = useService();
let guarded: Guarded;
/** Terminals with the labels team=a and team=b. */
let inside: string;
let outside: string;
/** Bound to team=a, with every verb but admin. */
let token: CreatedToken;

const ask = (method: string, path: string, body?: unknown, as = token.token) =>
  guarded.send(as, method, path, body);
const own = (method: string, path: string, body?: unknown) => ask(method, path, body, guarded.own);

beforeAll(async () => {
  ({ guarded, inside, outside, token } = await withBoundToken(used.service));
});

const idsOf = (list: { id: string }[]) => list.map(({ id }) => id);

describe('a token that is bound by labels', () => {
  test('lists its terminals alone, with and without pages, and their processes', async () => {
    for (const query of ['', '?view=full', '?limit=10', '?status=all', '?selector=team=a'])
      expect(idsOf((await ask('GET', `/api/terminals${query}`)).body.terminals)).toEqual([inside]);
    expect((await ask('GET', '/api/terminals?selector=team=b')).body.terminals).toEqual([]);
    const { body } = await ask('GET', '/api/processes');
    expect([idsOf(body.processes), body.count]).toEqual([[inside], 1]);
  });

  test('selects its terminals alone in batches and waits, and is refused a batch that names another', async () => {
    const { id } = await createIn('b', { role: 'x' });
    const mine = await createIn('a', { role: 'x' });
    const targets = { selector: 'role=x' };
    const typed = await ask('POST', '/api/terminals/batch/input', { ...targets, data: 'typed' });
    expect(typed.body.results.map(({ terminalId }: { terminalId: string }) => terminalId)).toEqual([mine.id]);
    const mixed = { terminalIds: [mine.id, id], data: 'typed' };
    expect(await ask('POST', '/api/terminals/batch/input', mixed)).toMatchObject({
      status: 404,
      body: { code: 'terminal-not-found' },
    });
    const runs = [mine, { id }].map(({ id: terminalId }) => ({ terminalId, command: 'true' }));
    expect((await ask('POST', '/api/terminals/batch/run', { runs })).status).toBe(404);
    const waited = await ask('POST', '/api/terminals/wait', { ...targets, until: ['exited'], timeoutMs: 0 });
    expect(JSON.stringify(waited.body)).not.toContain(id);
    expect((await own('GET', `/api/terminals/${id}/output`)).body.raw).not.toContain('typed');
    await own('DELETE', `/api/terminals/${id}`);
    await own('DELETE', `/api/terminals/${mine.id}`);
  });

  test('creates terminals with its labels, and can neither give them away nor take others', async () => {
    const created = (await ask('POST', '/api/terminals', { command: ['cat'], labels: { role: 'y' } })).body;
    expect(created.labels).toEqual({ team: 'a', role: 'y' });
    const refused = { status: 403, body: { code: 'outside-scope' } };
    expect(await ask('POST', '/api/terminals', { labels: { team: 'b' } })).toMatchObject(refused);
    for (const team of ['b', null])
      expect(await ask('PATCH', `/api/terminals/${created.id}`, { labels: { team } })).toMatchObject(refused);
    expect((await ask('PATCH', `/api/terminals/${outside}`, { labels: { team: 'a' } })).status).toBe(404);
    const many = { terminals: [{ command: ['cat'] }, { labels: { team: 'b' } }] };
    const { results } = (await ask('POST', '/api/terminals/batch/create', many)).body;
    expect(results).toMatchObject([{ terminal: { labels: { team: 'a' } } }, { code: 'outside-scope' }]);
    for (const id of [created.id, results[0].terminal.id]) await ask('DELETE', `/api/terminals/${id}`);
  });

  test('finds, records and reads runs of its terminals alone', async () => {
    await own('POST', '/api/terminals/batch/input', { terminalIds: [inside, outside], data: 'needle\n' });
    const found = (as: string) => async () => {
      const { body } = await ask('POST', '/api/search', { query: 'needle', filters: { type: 'output' } }, as);
      return [
        ...new Set(body.results.map((hit: { document: { terminalId: string } }) => hit.document.terminalId)),
      ];
    };
    await expect.poll(found(guarded.own)).toHaveLength(2);
    expect(await found(token.token)()).toEqual([inside]);

    const start = { terminal_id: outside };
    expect((await ask('POST', '/api/recordings/start', start)).status).toBe(404);
    const { recordingId: foreign } = (await own('POST', '/api/recordings/start', start)).body;
    const { recordingId: mine } = (await ask('POST', '/api/recordings/start', { terminal_id: inside })).body;
    expect((await ask('GET', '/api/recordings/active')).body).toEqual({ activeRecordings: [mine], count: 1 });
    expect((await ask('POST', `/api/recordings/stop/${foreign}`)).body.code).toBe('recording-not-active');
    await own('POST', `/api/recordings/stop/${foreign}`);
    expect((await ask('POST', `/api/recordings/stop/${mine}`)).status).toBe(200);
    expect(idsOf((await ask('GET', '/api/recordings')).body.recordings)).toEqual([mine]);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/info'],
      ['DELETE', ''],
      ['POST', '/export'],
    ] as const) {
      const body = path === '/export' ? { format: 'text' } : undefined;
      const answer = await ask(method, `/api/recordings/${foreign}${path}`, body);
      expect([path, answer.body.code]).toEqual([path, 'recording-not-found']);
    }

    const run = async (terminalIds: string[]) => {
      const asked = { terminalIds, command: 'true', waitFor: 0, timeoutMs: 1_000 };
      return (await own('POST', '/api/terminals/batch/run', asked)).body.runId as string;
    };
    const [both, only] = [await run([inside, outside]), await run([inside])];
    const listed = (await ask('GET', '/api/runs')).body.runs.map(({ runId }: { runId: string }) => runId);
    expect(listed).toEqual([only]);
    expect((await ask('GET', `/api/runs/${only}`)).status).toBe(200);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/stream'],
      ['POST', '/cancel'],
    ] as const)
      expect((await ask(method, `/api/runs/${both}${path}`)).body.code).toBe('run-not-found');
  });

  test('gets the answer of no other client that has used the same Idempotency-Key', async () => {
    const send = async (as: string) => {
      const response = await fetch(`${used.service.url}/api/terminals`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${as}`,
          'content-type': 'application/json',
          'idempotency-key': 'the same',
        },
        body: '{"command":["cat"]}',
      });
      return ((await response.json()) as { id: string }).id;
    };
    const [first, other] = [await send(guarded.own), await send(token.token)];
    expect(other).not.toBe(first);
    expect(await send(token.token)).toBe(other);
    for (const id of [first, other]) await own('DELETE', `/api/terminals/${id}`);
  });

  test('is told where it runs only if it may know of that terminal', async () => {
    const asked = async (id: string) => {
      const headers = { authorization: `Bearer ${token.token}`, 'x-service-terminal-id': id };
      return (await fetch(`${used.service.url}/api/caller`, { headers })).json();
    };
    expect(await asked(outside)).toEqual(await asked('term_000000000000'));
    expect(await asked(inside)).toMatchObject({ terminalId: inside });
  });

  test('follows the events of its terminals alone', async () => {
    const headers = { authorization: `Bearer ${token.token}` };
    const client = await EventStream.open(used.service.url, { headers });
    const theirs = await createIn('b');
    const mine = await createIn('a');
    for (const { id } of [theirs, mine]) await own('DELETE', `/api/terminals/${id}`);
    await client.first('terminal.removed', mine.id);
    const told = client.events.flatMap(({ data }) => data.terminalId ?? []);
    expect(told).toContain(mine.id);
    // The first can be of a terminal of an earlier test: an event is sent once it is on disk.
    for (const id of [theirs.id, outside]) expect(told).not.toContain(id);
    expect(client.events.map(({ type }) => type)).not.toContain('canvas.changed');
    await client.cut();
  });
});

/** Creates a terminal with the service's own token. */
async function createIn(team: string, labels: Record<string, string> = {}): Promise<{ id: string }> {
  return { id: await guarded.open({ team, ...labels }) };
}
