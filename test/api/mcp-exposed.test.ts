import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, elsewhere, patch } from '../support/exposed.js';
import { createApi } from '../support/http.js';
import { rpc, sessionOf } from '../support/mcp-raw.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let mcpUrl: string;
let token: string;
/** Session that began before the service was exposed. */
let session: string;

beforeAll(async () => {
  service = await startService({ mcp: true });
  mcpUrl = service.mcpUrl!;
  const { body } = await createApi(service.url).get<{ network: { authToken: string } }>(
    '/api/settings?reveal=true',
  );
  token = body.network.authToken;
  session = await sessionOf(mcpUrl);
});
afterAll(() => service?.stop());

let calls = 0;

/** A call with an id of its own: calls of one session may overlap. */
const listing = () => ({
  ...{ method: 'tools/call', id: ++calls },
  params: { name: 'list_terminals', arguments: {} },
});

const list = (url: string, bearer?: string) =>
  rpc(url, listing(), { session, headers: bearer ? { authorization: `Bearer ${bearer}` } : {} });

/** Status of a call at a non-loopback address of this machine; undefined if nothing listens there. */
const statusElsewhere = (bearer?: string) =>
  list(elsewhere(mcpUrl), bearer).then(
    ({ status }) => status,
    () => undefined,
  );

it('by default it listens only on the loopback, and asks for no token', async () => {
  expect(await statusElsewhere()).toBeUndefined();
  expect((await list(mcpUrl)).result).toMatchObject({
    structuredContent: { terminals: [] },
  });
});

it('exposed, it listens on all addresses and needs the token, except at /health; sessions go on', async () => {
  expect((await patch(service.url, { network: { expose: true } })).status).toBe(200);
  for (const url of [mcpUrl, elsewhere(mcpUrl)]) {
    const answers = [await list(url), await list(url, 'f'.repeat(64)), await list(url, token)];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 200]);
    expect(answers[2]?.result).toMatchObject({ structuredContent: { terminals: [] } });
    expect((await ask(url.replace('/mcp', ''), '/health')).status).toBe(200);
  }
});

it('a new token holds from the next request on, also for its own calls; the old one for nothing', async () => {
  for (let time = 1; time <= 3; time++) {
    const { text } = await ask(service.url, '/api/settings/token/rotate', token, { method: 'POST' });
    const { authToken } = JSON.parse(text!);
    expect(await statusElsewhere(token)).toBe(401);
    const { status, result } = await list(elsewhere(mcpUrl), authToken);
    expect([status, result]).toMatchObject([200, { structuredContent: { terminals: [] } }]);
    token = authToken;
  }
});

it('a call during a rotation is refused or answered, and never fails for its token', async () => {
  for (let time = 1; time <= 5; time++) {
    const answered = async () => {
      const { status, result } = await list(mcpUrl, token);
      if (status === 200) expect(result).toMatchObject({ structuredContent: {} });
      return status === 200;
    };
    // All clients have calls in progress when the token changes.
    const first = await Promise.all(Array.from({ length: 30 }, answered));
    expect(first).not.toContain(false);
    const clients = first.map(async () => {
      while (await answered());
    });
    const rotated = ask(service.url, '/api/settings/token/rotate', token, { method: 'POST' });
    await Promise.all(clients);
    token = JSON.parse((await rotated).text!).authToken;
  }
});

it('exposed no longer, it is unreachable from elsewhere', async () => {
  expect((await patch(service.url, { network: { expose: false } }, token)).status).toBe(200);
  expect(await statusElsewhere(token)).toBeUndefined();
  expect((await list(mcpUrl)).status).toBe(200);
});
