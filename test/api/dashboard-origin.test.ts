import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startAppInProcess } from '../support/app.js';
import { startWithDashboard } from '../support/dashboard.js';
import { freePort } from '../support/free-port.js';
import { type Api, createApi } from '../support/http.js';

const statusFrom = async (api: Api, port: number | string) =>
  (await api.raw({ path: '/api/terminals', headers: { origin: `http://localhost:${port}` } })).status;

test('a page of the dashboard port is trusted while the dashboard listens there, and only then', async () => {
  const service = await startWithDashboard();
  onTestFinished(() => service.stop());
  const { port } = new URL(service.url);
  expect(await statusFrom(service.api, port)).toBe(200);
  await service.api.patch('/api/settings', { dashboard: { enabled: false } });
  expect(await statusFrom(service.api, port)).toBe(403);
});

test('a page of the port of a dashboard that was not built is trusted nowhere, since another program may have the port', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'at-no-pages-'));
  const started = await startAppInProcess({}, { dashboardFolder: folder });
  onTestFinished(async () => {
    await started.stop();
    await rm(folder, { recursive: true });
  });
  const api = createApi(started.app.url, { unchecked: true });
  const port = await freePort();
  const change = { dashboard: { enabled: true, port }, mcp: { enabled: true, port: 0 } };
  expect((await api.patch('/api/settings', change)).status).toBe(200);
  expect(await statusFrom(api, port)).toBe(403);
  const mcp = await fetch(started.app.mcpUrl!, { headers: { origin: `http://localhost:${port}` } });
  await mcp.body?.cancel();
  expect(mcp.status).toBe(403);
});
