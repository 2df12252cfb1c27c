import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createApi, watch } from '../support/http.js';
import { eventually, hostPidOf, processInfo } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

interface Terminal {
  id: string;
  name: string;
  pid: number;
  status: string;
}

const COUNT = 20;
const LINES = 60_000;

/** Prints LINES numbered lines once the file exists, then reports it and waits. */
const program = (go: string) =>
  `until [ -e '${go}' ]; do sleep 0.02; done; i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo "line $i of the flood, long enough to fill a few pages of memory"; done; echo "all printed"; exec cat`;
/** The tty turns each LF into CR LF. */
const EXPECTED_BYTES =
  Array.from(
    { length: LINES },
    (_, i) => `line ${i + 1} of the flood, long enough to fill a few pages of memory\r\n`,
  ).join('').length + 'all printed\r\n'.length;

let service: Service;
afterEach(() => service.stop());

describe('a service that is killed', () => {
  it('finds its terminals again, and nothing is lost', async () => {
    service = await startService();
    const { home } = service;
    let api = createApi(service.url);
    const go = join(home, 'go');
    const created = await Promise.all(
      Array.from({ length: COUNT }, async (_, index) => {
        const body = {
          name: `worker ${index}`,
          tabId: `tb-${index}`,
          cwd: '/tmp',
          cols: 100,
          command: ['sh', '-c', program(go)],
        };
        return (await api.post<Terminal>('/api/terminals', body)).body;
      }),
    );
    const { body: listed } = await api.get<{ terminals: Terminal[] }>('/api/terminals');
    const host = hostPidOf(home);
    // The kill comes during the flood: the first terminal has shown lines, and none has finished.
    const before = await watch(service.url, `terminals=${created[0]!.id}`);
    await writeFile(go, '');
    await before.untilOutput(created[0]!.id, 'of the flood');
    await service.kill('SIGKILL');

    service = await startService({ home });
    api = createApi(service.url);
    expect(hostPidOf(home)).toBe(host);
    expect((await api.get('/api/terminals')).body).toEqual({
      terminals: expect.arrayContaining(listed.terminals),
    });
    expect(created.every(({ pid }) => processInfo(pid) !== undefined)).toBe(true);

    // The cursor's first part is the position in the output: the number of printed bytes.
    for (const { id } of created) {
      await eventually(`${id} has printed everything`, async () => {
        const { status, body } = await askOutputOf(id);
        // During twenty floods, an answer may take longer than the service lets a client wait.
        if (status === 503) return false;
        expect([status, body]).toEqual([200, expect.objectContaining({ raw: expect.any(String) })]);
        return body.raw.endsWith('all printed');
      });
      const { raw, cursor } = await outputOf(id);
      const lines = raw.split('\n');
      expect(lines.at(-2)).toBe(`line ${LINES} of the flood, long enough to fill a few pages of memory`);
      expect(lines.slice(0, -1).map((line) => Number(line.split(' ')[1]))).toEqual(
        Array.from({ length: lines.length - 1 }, (_, index) => LINES - lines.length + 2 + index),
      );
      expect(Number.parseInt(cursor.split('-')[0]!, 36)).toBe(EXPECTED_BYTES);
    }

    const [first] = created as [Terminal];
    expect((await api.post(`/api/terminals/${first.id}/input`, { data: 'typed after\r' })).body).toEqual({
      status: 'ok',
    });
    await eventually('the old program reads', async () =>
      (await outputOf(first.id)).raw.endsWith('typed after\ntyped after'),
    );
    const { body: snapshot } = await api.get<{ snapshot: string; cols: number }>(
      `/api/terminals/${first.id}/snapshot`,
    );
    expect(snapshot.snapshot).toContain('typed after');
    expect(snapshot.cols).toBe(100);
    const { status } = await api.post('/api/terminals', { command: ['cat'] });
    expect(status).toBe(200);

    async function askOutputOf(id: string) {
      return api.get<{ raw: string; cursor: string }>(`/api/terminals/${id}/output?lines=500`);
    }

    async function outputOf(id: string) {
      return (await askOutputOf(id)).body;
    }
  });

  it('still knows an exited terminal after the restart, and does not answer a query twice', async () => {
    service = await startService();
    const { home } = service;
    const api = createApi(service.url);
    const { body: gone } = await api.post<Terminal>('/api/terminals', {
      command: ['sh', '-c', 'echo bye; exit 7'],
    });
    // Queries the cursor and shows, in octal, every byte of the answer.
    const asker = await api.post<Terminal>('/api/terminals', {
      command: ['sh', '-c', `stty raw -echo; printf 'ask\\033[6n'; od -An -v -c -w1`],
    });
    const id = asker.body.id;
    const answered = async (url: string) =>
      (await createApi(url).get<{ raw: string }>(`/api/terminals/${id}/output`)).body.raw
        .split('\n')
        .filter((line) => /\bR$/.test(line)).length;
    await eventually('the query is answered', async () => (await answered(service.url)) === 1);
    await eventually(
      'the exit is known',
      async () => (await api.get<Terminal>(`/api/terminals/${gone.id}`)).body.status === 'exited',
    );
    await service.kill('SIGKILL');

    service = await startService({ home });
    const again = createApi(service.url);
    const { body } = await again.get(`/api/terminals/${gone.id}`);
    expect(body).toMatchObject({ status: 'exited', exitCode: 7, signal: null });
    expect((await again.get<{ raw: string }>(`/api/terminals/${gone.id}/output`)).body.raw).toBe('bye');
    // A key typed now comes after anything a second answer would have typed.
    await again.post(`/api/terminals/${id}/input`, { data: 'Z' });
    await eventually('the key is shown', async () =>
      (await again.get<{ raw: string }>(`/api/terminals/${id}/output`)).body.raw.trimEnd().endsWith('Z'),
    );
    expect(await answered(service.url)).toBe(1);
  });
});
