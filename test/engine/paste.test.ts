import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, createApi, watch } from '../support/http.js';
import { eventually, hostPidOf, processesOfSession, processInfo } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

const MiB = 1024 * 1024;

let service: Service;
let api: Api;
let folder: string;
beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
  folder = mkdtempSync(join(tmpdir(), 'at-paste-'));
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

async function createReady(script: string): Promise<{ id: string; pid: number }> {
  const watcher = await watch(service.url);
  const { body } = await api.post<{ id: string; pid: number }>('/api/terminals', {
    command: ['sh', '-c', script],
  });
  await watcher.untilOutput(body.id, 'ready');
  await watcher.close();
  return body;
}

describe('a large paste', () => {
  it('of 1 MiB reaches a program that reads, to the byte', async () => {
    const file = join(folder, 'pasted');
    const { id } = await createReady(`stty raw -echo; echo ready; cat > ${file}`);
    let text = '';
    for (let index = 0; text.length < MiB; index++) text += `${index}: ünïcödé, \t and \x1b[31mescapes\r\n`;
    const data = Buffer.from(text)
      .subarray(0, MiB)
      .toString('utf8')
      .replace(/\ufffd+$/, '');
    const size = Buffer.byteLength(data);
    expect((await api.post(`/api/terminals/${id}/input`, { data })).body).toEqual({ status: 'ok' });
    await eventually('the file is complete', () => statSync(file).size >= size);
    expect(readFileSync(file, 'utf8')).toBe(data);
  });

  it('keeps simultaneous requests apart', async () => {
    const file = join(folder, 'mixed');
    const { id } = await createReady(`stty raw -echo; echo ready; cat > ${file}`);
    const texts = Array.from({ length: 20 }, (_, index) => String.fromCharCode(97 + index).repeat(20_000));
    await Promise.all(texts.map((data) => api.post(`/api/terminals/${id}/input`, { data })));
    await eventually('the file is complete', () => statSync(file).size >= 400_000);
    expect(
      readFileSync(file, 'utf8')
        .match(/(.)\1*/g)
        ?.sort(),
    ).toEqual(texts);
  });

  it('to a program that never reads: idles, refuses more, and closes at once', async () => {
    const { id, pid } = await createReady('stty raw -echo; echo ready; exec sleep 1000');
    expect((await api.post(`/api/terminals/${id}/input`, { data: 'x'.repeat(MiB) })).body).toEqual({
      status: 'ok',
    });
    const refused = await api.post(`/api/terminals/${id}/input`, { data: 'y'.repeat(200_000) });
    expect(refused).toMatchObject({ status: 429, body: { error: 'Input buffer full' } });
    const batch = await api.post('/api/terminals/batch/input', {
      terminalIds: [id],
      data: 'y'.repeat(200_000),
    });
    expect(batch.body).toMatchObject({
      results: [{ terminalId: id, success: false, error: 'Input buffer full' }],
    });
    const watcher = await watch(service.url);
    watcher.send({
      id: 'w',
      type: 'command',
      payload: { action: 'terminal:input', terminalId: id, data: 'y'.repeat(200_000) },
    });
    await watcher.until(() => watcher.frames.some((frame) => frame.id === 'w'));
    expect(watcher.frames.find((frame) => frame.id === 'w')).toMatchObject({
      id: 'w',
      success: false,
      error: 'Input buffer full',
    });
    await watcher.close();

    const pids = [service.pid, hostPidOf(service.home)];
    const cpu = () => pids.reduce((sum, each) => sum + processInfo(each)!.cpuSeconds, 0);
    // Measures over time on purpose: the claim is that nothing happens once the typed text is indexed.
    let share = 1;
    for (let window = 0; window < 10 && share >= 0.05; window++) {
      const [before, begin] = [cpu(), performance.now()];
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      share = (cpu() - before) / ((performance.now() - begin) / 1000);
    }
    expect(share).toBeLessThan(0.05);

    expect((await api.delete(`/api/terminals/${id}`)).body).toEqual({ status: 'ok' });
    await eventually('its processes are gone', () => processesOfSession(pid).length === 0);
  });
});
