import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { TOOLS } from '#mcp/tools/all.js';
import { type Guarded, guard } from '../support/guarded.js';
import { connectStdio } from '../support/mcp.js';
import { rpc, sessionOf } from '../support/mcp-raw.js';
import { toolOf } from '../support/mcp-tools.js';
import { within } from '../support/service.js';
import { useService } from '../support/use-service.js';

const used = useService({ mcp: true });
let guarded: Guarded;
/** Terminals with the labels team=a and team=b. */
let inside: string;
let outside: string;

beforeAll(async () => {
  guarded = await guard(used.service);
  inside = await guarded.open({ team: 'a' });
  outside = await guarded.open({ team: 'b' });
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Makes a call that claims to be an upgrade but is not; `fetch` sends no such header. */
async function callAsUpgrade(query: string, more: Record<string, string>): Promise<IncomingMessage> {
  const headers = {
    ...{ accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    ...{ upgrade: 'websocket', 'mcp-session-id': 'any', ...more },
  };
  const asked = request(`${used.service.mcpUrl!}${query}`, { method: 'POST', headers });
  const params = { name: 'list_terminals', arguments: {} };
  asked.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return answer.resume();
}

async function tools(token: string): Promise<string[]> {
  const headers = bearer(token);
  const session = await sessionOf(used.service.mcpUrl!, undefined, headers);
  const { result } = await rpc(used.service.mcpUrl!, { method: 'tools/list' }, { session, headers });
  return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

async function call(token: string, name: string, args: object): Promise<{ isError: boolean; text: string }> {
  const headers = bearer(token);
  const session = await sessionOf(used.service.mcpUrl!, undefined, headers);
  const message = { method: 'tools/call', params: { name, arguments: args } };
  const { result } = await rpc(used.service.mcpUrl!, message, { session, headers });
  const { isError = false, content } = result as { isError?: boolean; content: { text: string }[] };
  return { isError, text: content[0]!.text };
}

test('needs a token that the service knows', async () => {
  for (const headers of [{}, bearer('at_unknown'), bearer('0'.repeat(64))]) {
    const { status } = await rpc(used.service.mcpUrl!, { method: 'ping' }, { session: 'any', headers });
    expect(status).toBe(401);
  }
  const { token, id } = await guarded.make(['read']);
  expect(await tools(token)).toContain('list_terminals');
  await guarded.send(guarded.own, 'DELETE', `/api/tokens/${id}`);
  const { status } = await rpc(
    used.service.mcpUrl!,
    { method: 'ping' },
    { session: 'any', headers: bearer(token) },
  );
  expect(status).toBe(401);
});

test('takes no token from the query of a request that says it is an upgrade', async () => {
  const { token } = await guarded.make(['read'], { selector: 'team=a' });
  // If the token of the query counted, the guard would check it, but the call to the service would not carry it.
  for (const query of ['?token=at_made_up', `?token=${token}`]) {
    for (const more of [{}, bearer('at_unknown')]) {
      const { statusCode, headers } = await callAsUpgrade(query, more);
      // Without `connection: close`, a client sends its next request on the ended connection, and loses that request.
      expect([statusCode, headers.connection]).toEqual([401, 'close']);
    }
  }
});

test('lists the tools that a token can use', async () => {
  const all = TOOLS.map(({ listing }) => listing.name);
  expect(await tools(guarded.own)).toEqual(all);
  expect(await tools((await guarded.make(['admin'])).token)).toEqual(all);
  expect(await tools((await guarded.make(['control'])).token)).toEqual(['create_terminal', 'close_terminal']);
  expect(await tools((await guarded.make(['type'])).token)).toEqual(['execute_command']);
  expect(await tools((await guarded.make(['record'])).token)).toEqual([]);
  const reading = all.filter((name) => toolOf(name).verbs.includes('read'));
  expect(await tools((await guarded.make(['read'])).token)).toEqual(reading);
});

test('does with a token what the API does with it', async () => {
  const { token } = await guarded.make(['read', 'run', 'control'], { selector: 'team=a' });
  const list = await call(token, 'list_terminals', {});
  expect([list.text.includes(inside), list.text.includes(outside)]).toEqual([true, false]);
  expect((await call(token, 'get_terminal_screen', { terminalId: inside })).isError).toBe(false);
  for (const [name, args] of [
    ['get_terminal_screen', {}],
    ['get_terminal_output', {}],
    ['get_terminal_detail', {}],
    ['close_terminal', {}],
    ['execute_command', { command: 'true', wait: true }],
  ] as const)
    expect([name, await call(token, name, { ...args, terminalId: outside })]).toEqual([
      name,
      { isError: true, text: expect.stringMatching(/^Terminal not found/) },
    ]);
  const typed = await call(token, 'execute_command', { command: 'true', terminalId: inside });
  expect(typed).toMatchObject({ isError: true, text: expect.stringContaining('verb type') });
  const made = await call(token, 'create_terminal', {});
  const { id } = JSON.parse(made.text) as { id: string };
  const { body } = await guarded.send(guarded.own, 'GET', `/api/terminals/${id}`);
  expect(body.labels).toEqual({ team: 'a' });
});

test('a call beyond the rate of its token fails at once, and says when to try again', async () => {
  const { token } = await guarded.make(['read'], { ratePerMinute: 2 });
  const list = () => call(token, 'list_machines', {});
  expect([await list(), await list()]).toMatchObject([{ isError: false }, { isError: false }]);
  const late = await within(25_000, list(), () => 'the call waits for the rate');
  expect(late).toMatchObject({ isError: true, text: expect.stringMatching(/make fewer calls.*in 30 s/) });
});

test('over stdio, uses the token of its environment', async () => {
  const { token } = await guarded.make(['read']);
  const { client } = await connectStdio({ apiUrl: used.service.url, env: { AUTO_TERMINAL_TOKEN: token } });
  const { tools: listed } = await client.listTools();
  expect(listed.map(({ name }) => name)).not.toContain('create_terminal');
});

test.each([
  ['is deleted', 86_400_000, (id: string) => guarded.send(guarded.own, 'DELETE', `/api/tokens/${id}`)],
  [
    'gets another text',
    86_400_000,
    (id: string) => guarded.send(guarded.own, 'POST', `/api/tokens/${id}/rotate`),
  ],
  ['expires', 5_000, async () => undefined],
])('an idle stream ends when its token %s, and no other stream does', async (_how, expiresInMs, end) => {
  const open = async ({ token }: { token: string }) => {
    const headers = { ...bearer(token), accept: 'text/event-stream' };
    const session = await sessionOf(used.service.mcpUrl!, undefined, bearer(token));
    const leave = new AbortController();
    const { status, body } = await fetch(used.service.mcpUrl!, {
      headers: { ...headers, 'mcp-session-id': session },
      signal: leave.signal,
    });
    expect(status).toBe(200);
    const stream = { hasEnded: false, ended: Promise.resolve(), leave: () => leave.abort() };
    stream.ended = body!.pipeTo(new WritableStream()).then(
      () => expect.unreachable('the stream has ended as if it were whole'),
      () => {
        stream.hasEnded = true;
      },
    );
    return stream;
  };
  const token = await guarded.make(['read'], { expiresInMs });
  const streams = [await open(token), await open(token)];
  const other = await open(await guarded.make(['read']));
  await end(token.id);
  await within(20_000, Promise.all(streams.map(({ ended }) => ended)), () => 'the streams do not end');
  expect(other.hasEnded).toBe(false);
  other.leave();
  await other.ended;
});
