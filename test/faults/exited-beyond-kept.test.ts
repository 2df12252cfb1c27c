import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { MAX_EXITED_TERMINALS } from '#dist/contract/limits.js';
import { type Api, createApi } from '../support/http.js';
import { eventually, hostPidOf, processInfo } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

interface Terminal {
  id: string;
  pid: number;
  status: string;
  exitCode: number | null;
}

/** More terminals than a service keeps once they have exited. */
const COUNT = MAX_EXITED_TERMINALS + 3;

let service: Service;
afterEach(() => service.stop());

async function create(api: Api, ...command: string[]): Promise<Terminal[]> {
  const body = { cwd: service.home, command, index: false };
  const create = async () => (await api.post<Terminal>('/api/terminals', body)).body;
  return Promise.all(Array.from({ length: COUNT }, create));
}

/** Resolves once so many terminals are listed as are kept, all of them exited with this code. */
function allExited(api: Api, code: number | null): Promise<void> {
  return eventually('those beyond the bound are dropped', async () => {
    const { terminals } = (await api.get<{ terminals: Terminal[] }>('/api/terminals?status=all')).body;
    const isExited = ({ status, exitCode }: Terminal) => status === 'exited' && exitCode === code;
    return terminals.length === MAX_EXITED_TERMINALS && terminals.every(isExited);
  });
}

it('a service starts though more terminals have exited since it was killed than are kept', async () => {
  service = await startService();
  const { home } = service;
  const gate = join(home, 'gate');
  execFileSync('mkfifo', [gate]);
  const created = await create(createApi(service.url), 'sh', '-c', `read line <'${gate}'; exit 7`);
  await service.kill('SIGKILL');
  await eventually('all programs have ended', () => {
    // Each that waits for a writer by now reads the end of the file.
    closeSync(openSync(gate, 'r+'));
    return created.every(({ pid }) => !processInfo(pid));
  });

  service = await startService({ home });
  await allExited(createApi(service.url), 7);
});

it('terminals that are dropped when their host is killed do not come back with the next host', async () => {
  service = await startService();
  const api = createApi(service.url);
  await create(api, 'sleep', '1000');
  process.kill(hostPidOf(service.home)!, 'SIGKILL');
  await allExited(api, null);
  // Answered once the next host runs.
  expect((await api.post('/api/terminals', { command: ['sleep', '1000'] })).status).toBe(200);
  expect(service.log()).not.toContain('were adopted');
});
