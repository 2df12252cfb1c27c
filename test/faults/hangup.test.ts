import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { CLI } from '../support/cli.js';
import { createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { closeAfterEach, connectTo, ofHome } from '../support/sdk.js';
import { startService } from '../support/service.js';

closeAfterEach();

test('a hangup ends no service without a terminal, as under nohup', async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  process.kill(service.pid, 'SIGHUP');
  await eventually('it says so', () => service.log().includes('"signal":"SIGHUP"'));
  expect((await createApi(service.url).get('/health')).status).toBe(200);
});

test('a service whose terminal is closed leaves its terminals to the next one, and no traces', async () => {
  const outer = await startService();
  onTestFinished(() => outer.stop());
  const home = await mkdtemp(join(tmpdir(), 'at-hangup-'));
  onTestFinished(() => rm(home, { recursive: true }));
  const api = createApi(outer.url);
  const ports = ['--port', '0', '--dashboard-port', '0', '--no-mcp'];
  const asked = {
    command: [process.execPath, CLI, 'serve', ...ports],
    env: { AUTO_TERMINAL_HOME: home, AUTO_TERMINAL_API_URL: '' },
  };
  const { id: inTerminal } = (await api.post<Terminal>('/api/terminals', asked)).body;
  const facts = join(home, 'data/run/service.json');
  await eventually('it serves', () => existsSync(facts));
  const { id } = await connectTo(ofHome(home)).terminals.create({ command: ['cat'] });
  expect((await api.delete(`/api/terminals/${inTerminal}`)).status).toBe(200);
  await eventually('it has taken its file away', () => !existsSync(facts));
  const next = await startService({ home });
  onTestFinished(async () => void (await next.kill('SIGTERM')));
  expect(await connectTo(ofHome(home)).terminals.list()).toMatchObject([{ id, status: 'running' }]);
});
