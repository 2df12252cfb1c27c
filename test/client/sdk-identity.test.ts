// How the client identifies itself and finds the service at each request.
import { expect, onTestFinished, test } from 'vitest';
import { DeniedError } from '#dist/client/index.js';
import { ask, patch } from '../support/exposed.js';
import { answering } from '../support/scripted-server.js';
import { closeAfterEach, connectTo } from '../support/sdk.js';
import { startService } from '../support/service.js';

closeAfterEach();

test('address, token and headers may be functions, which are asked at each request', async () => {
  const servers = [
    await answering(({ response }) => response.end('{"machines":[]}')),
    await answering(({ response }) => response.end('{"machines":[]}')),
  ];
  let turn = 0;
  const client = connectTo({
    url: () => servers[turn]?.url,
    token: () => `token-${turn}`,
    headers: () => ({ 'x-turn': `${turn}` }),
    env: {},
  });
  for (turn of [0, 1, 0]) expect(await client.fleet.machines()).toEqual([]);
  const told = servers.map(({ requests }) =>
    requests.map(({ headers }) => [headers.authorization, headers['x-turn']]),
  );
  expect(told).toEqual([
    [
      ['Bearer token-0', '0'],
      ['Bearer token-0', '0'],
    ],
    [['Bearer token-1', '1']],
  ]);
});

test('a call that is refused with a new token each time is sent twice', async () => {
  const server = await answering(({ response }) => void response.writeHead(401).end('unauthorized'));
  let asked = 0;
  const client = connectTo({ url: server.url, token: () => `token-${asked++}`, env: {} });
  await expect(client.terminals.list()).rejects.toThrow(DeniedError);
  expect(server.requests).toHaveLength(2);
});

test('a call that is refused while its token changes is sent again; a wrong token is refused once', async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const { text } = await ask(service.url, '/api/settings?reveal=true');
  const right: string = JSON.parse(text!).network.authToken;
  expect((await patch(service.url, { network: { expose: true } })).status).toBe(200);

  let asked = 0;
  const rotated = connectTo({ url: service.url, token: () => (asked++ === 0 ? 'old' : right), env: {} });
  const { id } = await rotated.terminals.create({ command: ['cat'] });
  expect(asked).toBeGreaterThan(1);
  const wrong = connectTo({ url: service.url, token: () => 'wrong', env: {} });
  await expect(wrong.terminals.list()).rejects.toThrow(DeniedError);

  const named = connectTo({ url: service.url, env: { AUTO_TERMINAL_TOKEN: right } });
  expect((await named.terminals.list()).map((terminal) => terminal.id)).toEqual([id]);
  // The live stream takes the token in its query.
  for await (const event of named.terminals.get(id).attach({ cols: 80, rows: 24 })) {
    expect(event.type).toBe('reset');
    break;
  }
});
