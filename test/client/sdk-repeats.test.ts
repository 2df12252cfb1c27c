// Which calls are repeated, how often, and which result the caller gets in the end.
import { describe, expect, test } from 'vitest';
import { AutoTerminal as Page } from '#dist/client/browser.js';
import {
  ApiError,
  type AutoTerminal,
  BusyError,
  ClosedError,
  DisconnectedError,
  NoServiceError,
  NotUnderstoodError,
} from '#dist/client/index.js';
import { freePort } from '../support/free-port.js';
import { eventually } from '../support/processes.js';
import { answering } from '../support/scripted-server.js';
import { closeAfterEach, connectTo, cuttingProxy, ofHome } from '../support/sdk.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
closeAfterEach();

/** A client of a server that answers as the script says. */
const connectToScripted = (url: string, more: Partial<Parameters<typeof connectTo>[0]> = {}) =>
  connectTo({ url, env: {}, ...more });

const TERMINALS = '{"terminals":[]}';

describe('a call that may have taken effect', () => {
  test('does not end with an error by which it had none', async () => {
    const server = await answering(({ request, stop }) => {
      stop();
      request.socket.destroy();
    });
    const client = connectToScripted(server.url);
    // At the second try, no server listens.
    await expect(client.terminals.create()).rejects.toThrow(DisconnectedError);
    await expect(client.terminals.create()).rejects.toThrow(NoServiceError);
  });

  test('keeps the answer of a service that is shutting down', async () => {
    const server = await answering(({ response, stop }) => {
      stop();
      response.writeHead(503, { connection: 'close' });
      response.end('{"error":"Service is shutting down","code":"shutting-down"}');
    });
    const client = connectToScripted(server.url, { mayRepeat: (_error, tries) => tries < 2 });
    await expect(client.terminals.create()).rejects.toMatchObject({ code: 'shutting-down' });
  });

  test('is repeated if its answer breaks off in the middle', async () => {
    const server = await answering(({ response, turn }) => {
      if (turn > 1) return void response.end('{"id":"term_00000000000a"}');
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"id":', () => response.destroy());
    });
    const client = connectToScripted(server.url);
    expect((await client.terminals.create()).id).toBe('term_00000000000a');
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });
});

describe('a call that only reads is repeated after a broken connection, by whichever method it is sent', () => {
  test.each([
    ['select.wait', (client: AutoTerminal, id: string) => client.select([id]).wait({ until: ['exited'] })],
    ['terminals.changes', (client: AutoTerminal, id: string) => client.terminals.changes({ [id]: null })],
    ['search', (client: AutoTerminal) => client.search('nothing has this text')],
    ['fleet.screen', (client: AutoTerminal, id: string) => client.fleet.screen(id)],
  ])('%s', async (_what, ask) => {
    const proxy = await cuttingProxy(used.service.url, 1);
    const { id } = await connectTo(ofHome(used.service.home)).terminals.create({ command: ['true'] });
    await expect(ask(connectToScripted(proxy.url), id)).resolves.toBeTypeOf('object');
    expect(proxy.cut()).toBe(1);
  });

  test('and nobody is told that it may have taken effect', async () => {
    const server = await answering(({ request, stop }) => {
      stop();
      request.socket.destroy();
    });
    const client = connectToScripted(server.url, { mayRepeat: (_error, tries) => tries < 2 });
    await expect(client.search('x')).rejects.toThrow(NoServiceError);
  });
});

describe('mayRepeat', () => {
  test('learns the error and the tries, and ends a call', async () => {
    const proxy = await cuttingProxy(used.service.url, 5);
    const told: [unknown, number][] = [];
    const client = connectToScripted(proxy.url, {
      mayRepeat: (error, tries) => told.push([error.constructor, tries]) < 3,
    });
    await expect(client.terminals.list()).rejects.toThrow(DisconnectedError);
    expect(told).toEqual([1, 2, 3].map((tries) => [DisconnectedError, tries]));
    expect(proxy.cut()).toBe(3);
  });

  test('is not asked about a call that could take effect twice, or that no try can help', async () => {
    const proxy = await cuttingProxy(used.service.url, 1);
    const told: unknown[] = [];
    const mayRepeat = (error: unknown) => told.push(error) > 0;
    const client = connectToScripted(proxy.url, { mayRepeat });
    const { id } = await connectTo(ofHome(used.service.home)).terminals.create({ command: ['cat'] });
    await expect(client.terminals.get(id).close()).rejects.toThrow(DisconnectedError);
    await expect(client.terminals.get('term_000000000000').info()).rejects.toThrow(ApiError);
    const nobody = connectToScripted(`http://127.0.0.1:${await freePort()}`, { mayRepeat });
    await expect(nobody.health()).rejects.toThrow(NoServiceError);
    expect(told).toEqual([]);
  });

  test('lets a busy service recover', async () => {
    const server = await answering(({ response, turn }) => {
      if (turn === 1) response.writeHead(429).end('{"error":"Input buffer full","code":"input-buffer-full"}');
      else response.end(TERMINALS);
    });
    const told: unknown[] = [];
    const client = connectToScripted(server.url, { mayRepeat: (error) => told.push(error) > 0 });
    expect(await client.terminals.list()).toEqual([]);
    expect(told).toEqual([expect.any(BusyError)]);
  });

  test('does not repeat a creation that a limit of the service refuses: to wait is up to the caller', async () => {
    const server = await answering(({ response }) => {
      const body = {
        error: 'No terminal was created',
        code: 'over-limit',
        limit: 'maxTerminals',
        retryAfterMs: 5_000,
      };
      response.writeHead(429, { 'retry-after': '5' }).end(JSON.stringify(body));
    });
    const creating = connectToScripted(server.url).terminals.create({ queueMs: 10 });
    await expect(creating).rejects.toMatchObject({
      ...{ code: 'over-limit', status: 429, retryAfterMs: 5_000 },
      details: { limit: 'maxTerminals' },
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe.each([
  ['Node', connectToScripted],
  ['pages', (url: string, options: object = {}) => Page.connect({ url, ...options })],
])('close, for %s', (_place, connect) => {
  test('ends a call in progress, which is not repeated', async () => {
    const server = await answering(() => {});
    const client = connect(server.url);
    const creating = client.terminals.create();
    creating.catch(() => undefined);
    await eventually('it is there', () => server.requests.length === 1);
    client.close();
    await expect(creating).rejects.toThrow(ClosedError);
    expect(server.requests).toHaveLength(1);
    await expect(client.terminals.list()).rejects.toMatchObject({ code: 'closed' });
    expect(server.requests).toHaveLength(1);
  });

  test('ends a call that waits for its next try', async () => {
    const server = await answering(({ response }) => {
      response.writeHead(503, { 'retry-after': '3600' });
      response.end('{"error":"Temporarily unavailable","code":"unavailable"}');
    });
    let waiting = 0;
    const client = connect(server.url, { mayRepeat: () => ++waiting > 0 });
    const calls = Array.from({ length: 20 }, () => client.terminals.list());
    for (const call of calls) call.catch(() => undefined);
    await eventually('all wait', () => waiting === calls.length);
    client.close();
    for (const outcome of await Promise.allSettled(calls))
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(ClosedError) });
  });
});

test.each(['', '<html>Welcome</html>', 'null', '"text"', '7'])(
  'another program that answers %j is an error of its own class',
  async (text) => {
    const server = await answering(({ response }) => response.end(text));
    const client = connectToScripted(server.url);
    await expect(client.terminals.list()).rejects.toThrow(NotUnderstoodError);
  },
);
