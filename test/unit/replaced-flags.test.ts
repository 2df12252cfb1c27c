import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LiveConfig } from '#dist/config/live-config.js';

const machine = { platform: 'linux', cores: 4 };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-flags-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (overrides = {}) =>
  LiveConfig.open({ configFile: join(folder, 'config.json'), machine, overrides });

test('a change says which flags it has replaced', async () => {
  const live = await open({ network: 6001, mcp: 6002, dashboard: 6003, isMcpOff: true });
  await live.patch({ search: { index: false }, mcp: {}, network: { authToken: 'a'.repeat(64) } } as never);
  expect([...live.replacedFlags]).toEqual([]);
  await live.patch({ network: { port: 5001 }, mcp: { enabled: false } });
  await live.patch({ dashboard: { port: null } } as never);
  expect([...live.replacedFlags]).toEqual(['port', 'dashboard-port', 'no-mcp']);
  await live.patch({ mcp: { port: 5002 } });
  expect([...live.replacedFlags]).toEqual(['port', 'mcp-port', 'dashboard-port', 'no-mcp']);
  expect([...(await open()).replacedFlags]).toEqual([]);
});
