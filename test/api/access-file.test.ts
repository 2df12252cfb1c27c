import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { createApi, watch } from '../support/http.js';
import { within } from '../support/service.js';
import { useService } from '../support/use-service.js';

const used = useService();

test('guarded mode that was set in the config file ends what was opened without a token, once a rotation takes it up', async () => {
  const api = createApi(used.service.url, { unchecked: true });
  const { socket } = await watch(used.service.url);
  const closed = once(socket, 'close');
  const file = join(used.service.home, 'config/config.json');
  const config = JSON.parse(await readFile(file, 'utf8')) as object;
  await writeFile(file, JSON.stringify({ ...config, access: { mode: 'guarded' } }));
  // The connection that asks gets its answer.
  expect((await api.post('/api/settings/token/rotate')).status).toBe(200);
  expect((await api.get('/api/terminals')).status).toBe(401);
  await within(10_000, closed, () => 'a WebSocket without a token stays open in guarded mode');
});
