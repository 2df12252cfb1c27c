import { beforeAll, describe, expect, test } from 'vitest';
import type { CreatedToken } from '#dist/contract/access.js';
import { EventStream } from '../support/event-client.js';
import { upgrade } from '../support/exposed.js';
import { type Guarded, withBoundToken } from '../support/guarded.js';
import { type Watcher, watch } from '../support/http.js';
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

describe('a WebSocket of a token that is bound by labels', () => {
  const open = (query = '', as = token.token) => watch(used.service.url, `token=${as}${query}`);
  const reply = async (watcher: Watcher, payload: object) => {
    const id = JSON.stringify(payload);
    watcher.send({ id, type: 'command', payload });
    await watcher.until(() => watcher.frames.some((frame) => frame.id === id));
    return watcher.frames.find((frame) => frame.id === id) as {
      success: boolean;
      code?: string;
      data?: object;
    };
  };

  test('gets output, screens and events of its terminals alone', async () => {
    const watcher = await open('&events=all&snapshot=1&activity=1&screens=1');
    const views = [inside, outside].map((terminalId) => ({ terminalId }));
    expect(await reply(watcher, { action: 'screens:watch', views })).toMatchObject({
      data: { missing: [outside] },
    });
    const mine = await createIn('a');
    const theirs = await createIn('b');
    for (const id of [outside, theirs.id, inside, mine.id])
      await own('POST', `/api/terminals/${id}/input`, { data: `typed into ${id}\n` });
    await watcher.untilOutput(inside, `typed into ${inside}`);
    await watcher.untilOutput(mine.id, `typed into ${mine.id}`);
    await watcher.until(() => watcher.frames.some(({ event }) => event?.type === 'screen.rows'));
    const watched = { action: 'stream:watch', terminals: [inside, outside] };
    expect(await reply(watcher, watched)).toMatchObject({ data: { missing: [outside] } });
    for (const { id } of [theirs, mine]) await own('DELETE', `/api/terminals/${id}`);
    await watcher.until(() => watcher.frames.some(({ event }) => event?.type === 'terminal.removed'));
    const sent = JSON.stringify(watcher.frames.filter(({ event }) => event));
    expect([sent.includes(outside), sent.includes(theirs.id), sent.includes(inside)]).toEqual([
      false,
      false,
      true,
    ]);
    await watcher.close();
  });

  test('begins a terminal that comes into its sight by its labels with its screen', async () => {
    const watcher = await open('&snapshot=1');
    const { id } = await createIn('b');
    await own('POST', `/api/terminals/${id}/input`, { data: 'typed before\n' });
    await own('POST', `/api/terminals/${id}/wait`, { until: 'text', text: 'typed before' });
    await own('PATCH', `/api/terminals/${id}`, { labels: { team: 'a' } });
    await watcher.untilOutput(id, 'typed before');
    const [first] = watcher.frames.filter(({ event }) => event?.terminalId === id);
    expect(first?.event).toMatchObject({
      ...{ type: 'output.data', seq: expect.any(Number), cols: expect.any(Number) },
      data: { content: expect.stringMatching(/^\x1bc/) },
    });
    await own('DELETE', `/api/terminals/${id}`);
    await watcher.close();
  });

  test('can do nothing to another terminal, and only what its verbs allow to its own', async () => {
    const size = { cols: 80, rows: 24 };
    const commands = [
      { action: 'terminal:input', data: 'x' },
      { action: 'terminal:resize', ...size },
      { action: 'terminal:attach', ...size },
      { action: 'terminal:detach' },
      { action: 'terminal:lead' },
      { action: 'stream:resync' },
      { action: 'screens:resync' },
    ];
    const watcher = await open('&screens=1');
    const reader = await open('', (await guarded.make(['read'], { selector: 'team=a' })).token);
    for (const command of commands)
      expect(await reply(watcher, { ...command, terminalId: outside })).toMatchObject({
        success: false,
        code: 'terminal-not-found',
      });
    for (const command of commands.slice(0, 3))
      expect(await reply(reader, { ...command, terminalId: inside })).toMatchObject({ code: 'verb-missing' });
    const readOnly = { action: 'terminal:attach', terminalId: inside, ...size, readOnly: true };
    expect((await reply(reader, readOnly)).success).toBe(true);
    await Promise.all([watcher.close(), reader.close()]);
  });

  test('does not learn the name of another terminal by naming it as its own in a header', async () => {
    const secret = await own('POST', '/api/terminals', {
      command: ['cat'],
      name: 'secret',
      labels: { team: 'b' },
    });
    const taken = await fetch(`${used.service.url}/api/terminals/${inside}/lease`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token.token}`,
        'content-type': 'application/json',
        'x-service-terminal-id': secret.body.id,
      },
      body: '{}',
    });
    const { leaseId } = (await taken.json()) as { leaseId: string };
    const { holder } = (await ask('GET', `/api/terminals/${inside}/lease`)).body;
    expect(holder).toEqual({ kind: 'service', verified: false, token: { id: token.id, name: 'test' } });
    await ask('DELETE', `/api/terminals/${inside}/lease?leaseId=${leaseId}`);
    await own('DELETE', `/api/terminals/${secret.body.id}`);
  });

  test('types as a person only with the verb takeover', async () => {
    const reader = await guarded.make(['read', 'type']);
    const url = `${used.service.url}/ws?origin=user&token=${reader.token}`;
    expect(await upgrade(url)).toBe(403);
    const watcher = await open('&origin=user');
    await watcher.close();
    const taken = { ttlMs: 1, takeover: true };
    const refused = await ask('POST', `/api/terminals/${inside}/lease`, taken, reader.token);
    expect(refused).toMatchObject({ status: 403, body: { code: 'verb-missing', needs: ['takeover'] } });
  });
});

test('a token that is bound to its own terminals follows them to their ends, and no others', async () => {
  const mine = await guarded.make(['read', 'control'], { own: true });
  const headers = { authorization: `Bearer ${mine.token}` };
  const events = await EventStream.open(used.service.url, { headers });
  const watcher = await watch(used.service.url, `events=all&token=${mine.token}`);
  const id = await guarded.open({}, mine.token);
  await own('POST', `/api/terminals/${outside}/input`, { data: 'not for it\n' });
  await own('POST', `/api/terminals/${id}/input`, { data: 'for it\n' });
  await watcher.untilOutput(id, 'for it');
  await own('DELETE', `/api/terminals/${id}`);
  await events.first('terminal.removed', id);
  await watcher.until(() => watcher.frames.some(({ event }) => event?.type === 'terminal.removed'));
  const ids = [
    ...events.events.map(({ data }) => data.terminalId),
    ...watcher.frames.map(({ event }) => event?.terminalId),
  ];
  expect([...new Set(ids.filter((each) => each !== undefined))]).toEqual([id]);
  await Promise.all([events.cut(), watcher.close()]);
});

/** Creates a terminal with the service's own token. */
async function createIn(team: string, labels: Record<string, string> = {}): Promise<{ id: string }> {
  return { id: await guarded.open({ team, ...labels }) };
}
