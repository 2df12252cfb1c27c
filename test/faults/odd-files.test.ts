import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI } from '../support/cli.js';
import { freePort } from '../support/free-port.js';
import { createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { startService } from '../support/service.js';

const ID = '00000000-0000-4000-8000-000000000000';

function homeWith(...fifos: string[]): string {
  const home = mkdtempSync(join(tmpdir(), 'at-odd-'));
  for (const folder of ['config', 'data/recordings', 'data/store', 'data/run'])
    mkdirSync(join(home, folder), { recursive: true, mode: 0o700 });
  execFileSync(
    'mkfifo',
    fifos.map((fifo) => join(home, fifo)),
  );
  return home;
}

describe('a FIFO in the place of a file', () => {
  it('among the recordings, and of the store, is moved out of the way: the service starts and ends', async () => {
    const recordings = [`${ID}.json`, `${ID}.recording`].map((name) => join('data/recordings', name));
    const home = homeWith(...recordings, 'data/store/data.mdb');
    const service = await startService({ home });
    expect((await createApi(service.url).get('/api/recordings')).body).toEqual({ recordings: [] });
    expect(await service.kill('SIGTERM')).toBe(0);
    expect(readdirSync(join(home, 'data/recordings')).sort()).toEqual([
      `${ID}.json.damaged`,
      `${ID}.recording.damaged`,
    ]);
    rmSync(home, { recursive: true });
  });

  it('of the settings is named, and the service ends', async () => {
    const home = homeWith('config/config.json');
    await expect(startService({ home })).rejects.toThrow('config.json: cannot be read (not a file)');
    rmSync(home, { recursive: true });
  });
});

describe('a start at once after an end', () => {
  it('waits a moment for the former owner of its port', async () => {
    const port = await freePort();
    const before = createServer().listen(port, '127.0.0.1');
    await once(before, 'listening');
    const starting = startService({ args: ['--port', String(port)] });
    // A start that is slower than this meets a free port; `test/unit/listen` makes sure of the wait itself.
    setTimeout(() => before.close(), 600);
    const service = await starting;
    expect(new URL(service.url).port).toBe(String(port));
    await service.stop();
  });
});

describe('a tool server whose reader is gone', () => {
  it('still serves', async () => {
    const port = await freePort();
    const env = { ...process.env, MCP_PORT: String(port), AUTO_TERMINAL_API_URL: 'http://127.0.0.1:1' };
    const child = spawn(process.execPath, [CLI, 'mcp'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.destroy();
    const answers = async () =>
      (await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined))?.ok === true;
    await eventually('it answers', answers);
    expect(await answers()).toBe(true);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
  });
});
