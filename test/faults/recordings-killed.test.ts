import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { type Api, createApi, watch } from '../support/http.js';
import { eventually, hostPidOf, processInfo } from '../support/processes.js';
import { dataOf, type FullRecording, startRecording, stopRecording } from '../support/recordings.js';
import { type Service, startService } from '../support/service.js';

const COUNT = 5;
const LINES = 60_000;
const line = (number: number) => `line ${number} of the flood: 漢字 and 🙂, cut anywhere\r\n`;

/** Waits for a line without echoing it, prints the flood, then reports it and echoes its input. */
const PROGRAM = `stty -echo; echo ready; read x; i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo "line $i of the flood: 漢字 and 🙂, cut anywhere"; done; stty echo; echo "all printed"; exec cat >/dev/null`;
const EXPECTED = `${Array.from({ length: LINES }, (_, index) => line(index + 1)).join('')}all printed\r\n`;

let service: Service;
let api: Api;
afterEach(() => service.stop());

/** Terminals that are being recorded during their flood. */
async function flooding(count: number): Promise<Array<{ id: string; recording: string }>> {
  service = await startService();
  api = createApi(service.url);
  const watcher = await watch(service.url);
  const terminals = await Promise.all(
    Array.from({ length: count }, async () => {
      const { id } = (await api.post<Terminal>('/api/terminals', { command: ['sh', '-c', PROGRAM] })).body;
      await watcher.untilOutput(id, 'ready');
      return { id, recording: await startRecording(api, id) };
    }),
  );
  for (const { id } of terminals) await api.post(`/api/terminals/${id}/input`, { data: 'go\r' });
  for (const { id, recording } of terminals) {
    await watcher.untilOutput(id, 'of the flood');
    // A crash may lose input that is not yet written, here typed without echo: only output is replayed.
    await written(recording, '"secret":true');
  }
  watcher.socket.terminate();
  return terminals;
}

/** Resolves once the file of a running recording contains the text. */
async function written(recording: string, text: string): Promise<void> {
  const file = join(service.home, 'data', 'recordings', `${recording}.recording`);
  await eventually(`${text} is written`, () => readFileSync(file, 'utf8').includes(text));
}

async function restart(): Promise<void> {
  await service.kill('SIGKILL');
  service = await startService({ home: service.home });
  api = createApi(service.url);
}

const screenOf = async (id: string) =>
  (await api.get<{ raw: string }>(`/api/terminals/${id}/output?lines=3`)).body.raw;
const printed = (id: string) =>
  eventually(
    `${id} has printed everything`,
    async () => (await screenOf(id)).includes('all printed'),
    60_000,
  );
const active = async () =>
  (await api.get<{ activeRecordings: string[] }>('/api/recordings/active')).body.activeRecordings;

describe('kill -9 of the service while 5 recordings run', () => {
  it('loses and doubles no output, and they go on', async () => {
    const terminals = await flooding(COUNT);
    // The service is killed twice, each time during the flood.
    for (let times = 0; times < 2; times++) {
      await restart();
      expect((await active()).sort()).toEqual(terminals.map(({ recording }) => recording).sort());
      expect((await api.get<{ recordings: object[] }>('/api/recordings')).body.recordings).toEqual([]);
    }
    for (const { id, recording } of terminals) {
      await printed(id);
      await api.post(`/api/terminals/${id}/input`, { data: 'typed after\r' });
      await eventually('it is echoed', async () => (await screenOf(id)).includes('typed after'));
      const full = await stopRecording(api, recording);
      // Compared first: a diff of megabytes is unreadable.
      const output = dataOf(full, 'output');
      expect(output === `${EXPECTED}typed after\r\n` ? 'exact' : firstDifference(output)).toBe('exact');
      expect(dataOf(full, 'input')).toBe('typed after\r');
      expect(full.metadata.initial_size).toEqual({ cols: 80, rows: 24 });
    }
  });

  it('a terminal that has gone meanwhile leaves a closed recording with its events so far', async () => {
    const [gone] = (await flooding(1)) as [{ id: string; recording: string }];
    const host = hostPidOf(service.home);
    await written(gone.recording, 'all printed');
    await service.kill('SIGKILL');
    // All its terminals end with the pty host.
    process.kill(host, 'SIGKILL');
    await eventually('the host is gone', () => processInfo(host) === undefined);
    service = await startService({ home: service.home });
    api = createApi(service.url);
    const full = await listed(gone.recording);
    const output = dataOf(full, 'output');
    expect(output === EXPECTED ? 'exact' : firstDifference(output)).toBe('exact');
    expect(await active()).toEqual([]);
    expect(Date.parse(full.end_time!)).toBeGreaterThanOrEqual(Date.parse(full.start_time));
  });
});

describe('kill -9 of the service', () => {
  it('a recording whose program has exited is still complete, and can be stopped', async () => {
    service = await startService();
    api = createApi(service.url);
    const command = ['sh', '-c', 'read x; seq 1 30000; exit 3'];
    const { id } = (await api.post<Terminal>('/api/terminals', { command })).body;
    const recording = await startRecording(api, id);
    await api.post(`/api/terminals/${id}/input`, { data: 'go\r' });
    await eventually(
      'it has exited',
      async () => (await api.get<Terminal>(`/api/terminals/${id}`)).body.status === 'exited',
    );
    await restart();
    expect(await active()).toEqual([recording]);
    const output = dataOf(await stopRecording(api, recording), 'output');
    expect(output).toBe(`go\r\n${Array.from({ length: 30_000 }, (_, index) => `${index + 1}\r\n`).join('')}`);
  });

  it('what a terminal printed meanwhile is recorded and found although it is closed at once', async () => {
    service = await startService();
    api = createApi(service.url);
    const [go, done] = [join(service.home, 'go'), join(service.home, 'done')];
    const script = `until test -e ${go}; do sleep 0.05; done; echo meanwhile$((40+2)); : >${done}; exec cat`;
    const { id } = (await api.post<Terminal>('/api/terminals', { command: ['sh', '-c', script] })).body;
    const recording = await startRecording(api, id);
    await service.kill('SIGKILL');
    writeFileSync(go, '');
    await eventually('it has printed', () => existsSync(done));
    service = await startService({ home: service.home });
    api = createApi(service.url);
    expect((await api.delete(`/api/terminals/${id}`)).status).toBe(200);
    const full = await listed(recording);
    expect(dataOf(full, 'output')).toBe('meanwhile42\r\n');
    expect(full).not.toHaveProperty('truncated');
    await eventually('it is found', async () => {
      const found = await api.post<{ results: object[] }>('/api/search', { query: 'meanwhile42' });
      return JSON.stringify(found.body).includes(id);
    });
  });

  it('files that are no recordings are set aside, and the start goes on', async () => {
    service = await startService();
    const folder = join(service.home, 'data', 'recordings');
    await service.kill('SIGTERM');
    const names = ['no-head.json', 'no-head.recording', '00000000-0000-4000-8000-000000000000.json'];
    for (const name of names) writeFileSync(join(folder, name), '{"events":[]}');
    writeFileSync(join(folder, 'something else'), '');
    service = await startService({ home: service.home });
    const left = readdirSync(folder).sort();
    expect(left).toEqual([...names.map((name) => `${name}.damaged`), 'something else'].sort());
    expect(service.log().match(/a recording cannot be read and is set aside/g)?.length).toBe(3);
    expect((await createApi(service.url).get('/api/recordings')).body).toEqual({ recordings: [] });
  });
});

describe('the pty host is killed', () => {
  it('and a recording of its terminals is closed with its events so far', async () => {
    const [gone] = (await flooding(1)) as [{ id: string; recording: string }];
    await written(gone.recording, 'all printed');
    process.kill(hostPidOf(service.home), 'SIGKILL');
    const output = dataOf(await listed(gone.recording), 'output');
    expect(output === EXPECTED ? 'exact' : firstDifference(output)).toBe('exact');
    expect(await active()).toEqual([]);
  });
});

describe('SIGTERM', () => {
  it('finishes the recordings before their terminals are closed', async () => {
    const terminals = await flooding(2);
    const { home } = service;
    expect(await service.kill('SIGTERM')).toBe(0);
    const files = readdirSync(join(home, 'data', 'recordings')).sort();
    expect(files).toEqual(terminals.map(({ recording }) => `${recording}.json`).sort());
    service = await startService({ home });
    api = createApi(service.url);
    for (const { recording } of terminals) {
      // The recording may have stopped within a character.
      const output = dataOf(await listed(recording), 'output').replace(/\ufffd$/, '');
      expect(EXPECTED.startsWith(output) ? 'exact' : firstDifference(output)).toBe('exact');
      expect(output.includes('of the flood')).toBe(true);
    }
  });
});

/** A recording, once it is listed. */
async function listed(id: string): Promise<FullRecording> {
  await eventually('it is listed', async () => (await api.get(`/api/recordings/${id}`)).status === 200);
  return (await api.get<FullRecording>(`/api/recordings/${id}`)).body;
}

function firstDifference(output: string): string {
  let at = 0;
  while (at < output.length && output[at] === EXPECTED[at]) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 60), at + 60));
  return `at ${at} of ${EXPECTED.length}: ${around(output)} for ${around(EXPECTED)}`;
}
