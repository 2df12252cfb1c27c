import { readdirSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BatchAnswer } from '#dist/contract/execute.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { type Api, createApi, watch } from '../support/http.js';
import { eventually, hostPidOf, residentBytes, sessions, threadsOf } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

const COUNT = 500;
const AT_ONCE = 16;
/** Descriptors of the pty host for each terminal: master and slave of its PTY. */
const FILES_EACH = 2;
/** Most memory of the pty host for each terminal, with room for the state of its heap: 7 KB were measured. */
const MAX_HOST_BYTES_EACH = 32 * 1024;

let service: Service;
let api: Api;
beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
});
afterAll(() => service.stop());

/** Number of descriptors of PTYs; the number of others varies. */
function ptyFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return /^\/dev\/(ptmx|pts\/)/.test(readlinkSync(`/proc/${pid}/fd/${fd}`));
    } catch {
      // The descriptor was closed after it was listed.
      return false;
    }
  }).length;
}

/** Does the work for each item, a bounded number at a time. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function create(count: number): Promise<Terminal[]> {
  const made: Terminal[] = [];
  await forEach([...Array(count).keys()], async () => {
    const body = { command: ['sh', '-c', 'stty -echo; echo up; while read l; do echo "got $l"; done'] };
    const answer = await api.post<Terminal>('/api/terminals', body);
    expect(answer.status).toBe(200);
    made.push(answer.body);
  });
  return made;
}

const listed = async () =>
  (await api.get<{ terminals: Terminal[] }>('/api/terminals')).body.terminals.map(({ id }) => id).sort();

async function close(terminals: readonly Terminal[]): Promise<void> {
  await forEach(terminals, async ({ id }) => {
    expect((await api.delete(`/api/terminals/${id}`)).status).toBe(200);
  });
  await eventually('their processes are gone', () => {
    const left = sessions();
    return terminals.every(({ pid }) => !left.has(pid));
  });
}

describe(`${COUNT} terminals`, () => {
  it('cost the pty host two descriptors each and no thread, answer one batch, and leave nothing', async () => {
    const host = hostPidOf(service.home);
    await close(await create(AT_ONCE));
    const before = { threads: threadsOf(host), bytes: residentBytes(host) };
    const watcher = await watch(service.url);
    const terminals = await create(COUNT);
    const ids = terminals.map(({ id }) => id).sort();

    expect(await listed()).toEqual(ids);
    expect(new Set(ids).size).toBe(COUNT);
    expect(ptyFiles(host)).toBe(FILES_EACH * COUNT);
    expect(threadsOf(host)).toBe(before.threads);
    expect((residentBytes(host) - before.bytes) / COUNT).toBeLessThan(MAX_HOST_BYTES_EACH);

    await watcher.until(() => ids.every((id) => watcher.output(id).includes('up')));
    const { body } = await api.post<BatchAnswer>('/api/terminals/batch/input', {
      terminalIds: [...ids, 'gone'],
      data: 'all\r',
    });
    expect(body.summary).toEqual({ total: COUNT + 1, succeeded: COUNT, failed: 1 });
    expect(body.results.map(({ terminalId }) => terminalId)).toEqual([...ids, 'gone']);
    await watcher.until(() => ids.every((id) => watcher.output(id).includes('got all')));
    const cursors = Object.fromEntries(ids.map((id) => [id, null]));
    const changes = await api.post<{ changes: unknown[] }>('/api/terminals/changes', { cursors });
    expect(changes.body.changes).toHaveLength(COUNT);
    await watcher.close();

    await close(terminals);
    expect(await listed()).toEqual([]);
    await eventually('no descriptor is left', () => ptyFiles(host) === 0);
    expect((await api.get<{ tabs: unknown[] }>('/api/layout')).body.tabs).toEqual([]);
    expect((await api.get<{ nodes: unknown[] }>('/api/canvas/graph')).body.nodes).toEqual([]);
  });
});
