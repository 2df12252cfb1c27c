// Answers of a proxy in front of the service, and of another program that listens in its place.
import { describe, expect, test } from 'vitest';
import { type AutoTerminal, DisconnectedError, NotUnderstoodError } from '#dist/client/index.js';
import { DEADLINE_MS } from '../support/deadline.js';
import { answering } from '../support/scripted-server.js';
import { closeAfterEach, connectTo } from '../support/sdk.js';
import { within } from '../support/service.js';

closeAfterEach();

const PAGE = '<html>\n\nWelcome\n\n</html>\n';
const ID = 'term_00000000000a';

describe.each([502, 504])('a proxy that answers %i', (status) => {
  /** Answers the first requests as a proxy whose service is away, and later ones as the service. */
  const proxied = async (failures: number) => {
    const server = await answering(({ response, turn }) => {
      if (turn > failures) response.end(JSON.stringify({ id: ID }));
      else response.writeHead(status, { 'content-type': 'text/html' }).end(PAGE);
    });
    return { server, client: connectTo({ url: server.url, env: {} }) };
  };

  test('is no refusal of the service: what has a key is sent again', async () => {
    const { server, client } = await proxied(2);
    expect((await client.terminals.create()).id).toBe(ID);
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
  });

  test('leaves open whether a request without a key took effect', async () => {
    const { server, client } = await proxied(1);
    await expect(client.terminals.get(ID).close()).rejects.toThrow(DisconnectedError);
    expect(server.requests).toHaveLength(1);
  });

  test('ends no stream that had begun', async () => {
    const server = await answering(({ response, turn }) => {
      if (turn === 2) return void response.writeHead(status).end(PAGE);
      response.end(
        `id: e-${turn}\nevent: ready\ndata: {}\n\nid: e-${turn}\ndata: {"type":"x","data":{}}\n\n`,
      );
    });
    const events = connectTo({ url: server.url, env: {} }).events();
    expect(await events.next()).toMatchObject({ value: { id: 'e-1' } });
    expect(await events.next()).toMatchObject({ value: { id: 'e-3' } });
    await events.return(undefined);
  });
});

test.each(['127.0.0.1:42031', 'localhost:42031', 'nonsense'])(
  'no service is found at %j, which is no URL of a service',
  async (url) => {
    const asked = connectTo({ env: { AUTO_TERMINAL_API_URL: url } }).terminals.list();
    await expect(asked).rejects.toMatchObject({ code: 'no-service', fix: expect.stringContaining('origin') });
  },
);

test('a variable without a value names no service', async () => {
  const env = { AUTO_TERMINAL_API_URL: '', AUTO_TERMINAL_HOME: '/nowhere' };
  await expect(connectTo({ env }).terminals.list()).rejects.toThrow('No service runs');
});

test('a page of another program that is not found is no missing terminal', async () => {
  const server = await answering(({ response }) => void response.writeHead(404).end(PAGE));
  const client = connectTo({ url: server.url, env: {} });
  await expect(client.terminals.get(ID).info()).rejects.toThrow(NotUnderstoodError);
  await expect(client.watch().next()).rejects.toThrow(NotUnderstoodError);
});

test.each<[string, (client: AutoTerminal) => AsyncIterator<unknown>]>([
  ['events', (client) => client.events()],
  ['the output of a run', (client) => client.run('run_00000000000a').stream()],
  ['the audit log', (client) => client.audit.lines()],
])('a page of another program is no stream of %s', async (_what, follow) => {
  const server = await answering(({ response }) => void response.end(PAGE));
  const next: Promise<unknown> = follow(connectTo({ url: server.url, env: {} })).next();
  await expect(within(DEADLINE_MS, next, () => 'it is asked for again and again')).rejects.toThrow(
    NotUnderstoodError,
  );
  expect(server.requests).toHaveLength(1);
});
