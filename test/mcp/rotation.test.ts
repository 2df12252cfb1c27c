import { expect, onTestFinished, test } from 'vitest';
import { createApi } from '../support/http.js';
import { rpc, sessionOf } from '../support/mcp-raw.js';
import { eventually } from '../support/processes.js';
import { startService } from '../support/service.js';

const CLIENTS = 20;
const ROTATIONS = 30;

test('no call fails because the token is rotated during its request to the API', async () => {
  const service = await startService({ mcp: true });
  onTestFinished(() => service.stop());
  const url = service.mcpUrl!;
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const settings = await createApi(service.url).get<{ network: { authToken: string } }>(
    '/api/settings?reveal=true',
  );
  let token = settings.body.network.authToken;
  await createApi(service.url).patch('/api/settings', { network: { expose: true } });

  let isDone = false;
  let answered = 0;
  const work = async (session: string) => {
    const texts = new Set<unknown>();
    for (let id = 1; !isDone; id++) {
      const message = { id, method: 'tools/call', params: { name: 'list_terminals' } };
      const { status, result } = await rpc(url, message, { session, headers: bearer(token) });
      // The client's own token may be the old one by now.
      if (status === 401) continue;
      expect(status).toBe(200);
      texts.add(JSON.stringify(result));
      answered++;
    }
    return [...texts];
  };
  const sessions = await Promise.all(
    Array.from({ length: CLIENTS }, () => sessionOf(url, undefined, bearer(token))),
  );
  const clients = Promise.all(sessions.map(work));
  for (let time = 0; time < ROTATIONS; time++) {
    const enough = answered + CLIENTS;
    await eventually('they have called with this one', () => answered >= enough);
    const api = createApi(service.url, { headers: bearer(token) });
    token = (await api.post<{ authToken: string }>('/api/settings/token/rotate')).body.authToken;
  }
  isDone = true;
  for (const texts of await clients)
    expect(texts).toEqual([expect.stringContaining('"structuredContent":{"terminals":[]}')]);
});
