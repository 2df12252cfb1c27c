import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { chooseBackend, environmentOn } from '../support/backend.js';
import { CLI } from '../support/cli.js';
import { createApi } from '../support/http.js';

/** So many terminals log twice what the pipe takes. */
const TERMINALS = 400;
const AT_ONCE = 8;

test('a log that nobody reads holds neither the service nor its stop', async () => {
  const home = await mkdtemp(join(tmpdir(), 'at-unread-'));
  await chooseBackend(home);
  const child = spawn(process.execPath, [CLI, '--port', '0', '--dashboard-port', '0', '--no-mcp'], {
    env: { ...process.env, HOME: home, ...environmentOn(home), AUTO_TERMINAL_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });
  child.stderr.pause();
  const [ready] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const api = createApi(/api=(\S+)/.exec(ready)![1]!, { unchecked: true });
  for (let made = 0; made < TERMINALS; made += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, async () => {
      const { body } = await api.post<Terminal>('/api/terminals', { command: ['true'] });
      expect((await api.delete(`/api/terminals/${body.id}`)).status).toBe(200);
    });
    await Promise.all(some);
  }
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});
