import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { type Api, createApi, type Watcher, watch } from '../support/http.js';
import { residentBytes } from '../support/processes.js';
import { startRecording } from '../support/recordings.js';
import { type Service, startService } from '../support/service.js';

const MB = 1_000_000;

/** The documented figure is for 500: AUTO_TERMINAL_RECORDING_MB=500 (some minutes). */
const RECORDED_MB = Number(process.env.AUTO_TERMINAL_RECORDING_MB ?? 100);
const BLOCK_MB = 10;

/** Most memory that a recording of any size may take beyond a recording of {@link BLOCK_MB}. */
const BOUND = 32 * MB;

let service: Service;
let api: Api;
let watcher: Watcher;
let folder: string;
/** Highest resident memory since the last call of {@link peak}. */
let most = 0;
let sampling: NodeJS.Timeout;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'at-memory-'));
  const lines = Array.from({ length: 100_000 }, (_, index) =>
    `\x1b[3${index % 8}mline ${index}\x1b[0m `.padEnd(98, 'xyz '),
  );
  writeFileSync(join(folder, 'block'), `${lines.join('\r\n').slice(0, BLOCK_MB * MB - 2)}\r\n`);
  service = await startService();
  api = createApi(service.url);
  watcher = await watch(service.url, 'terminals=none');
  sampling = setInterval(() => {
    most = Math.max(most, residentBytes(service.pid));
  }, 20);
});
afterAll(async () => {
  clearInterval(sampling);
  await watcher?.close();
  await service?.stop();
  rmSync(folder, { recursive: true });
});

function peak(): number {
  const value = Math.max(most, residentBytes(service.pid));
  most = 0;
  return value;
}

/** Prints this much on a terminal, and waits until the program reports that it is done. */
async function print(megabytes: number, isRecorded: boolean): Promise<string | undefined> {
  const script = `stty raw -echo; read x; i=0; while [ $i -lt ${megabytes / BLOCK_MB} ]; do i=$((i+1)); cat ${folder}/block; done; printf DO''NE; exec cat`;
  const { id } = (await api.post<Terminal>('/api/terminals', { command: ['sh', '-c', script], index: false }))
    .body;
  const recording = isRecorded ? await startRecording(api, id) : undefined;
  const own = await watch(service.url, `terminals=${id}`);
  let tail = '';
  const done = new Promise<void>((resolve) => {
    own.socket.removeAllListeners('message');
    own.socket.on('message', (message) => {
      tail = (tail + String(message)).slice(-4_000);
      if (tail.includes('DONE')) resolve();
    });
  });
  await api.post(`/api/terminals/${id}/input`, { data: 'go\n' });
  await done;
  await own.close();
  if (recording) expect((await api.post(`/api/recordings/stop/${recording}`)).status).toBe(200);
  await api.delete(`/api/terminals/${id}`);
  return recording;
}

/** Reads an export, or the recording itself, and discards it; returns its number of bytes. */
async function download(path: string, format?: string): Promise<number> {
  const method = format === undefined ? 'GET' : 'POST';
  const sent = request(`${service.url}${path}`, { method, headers: { 'content-type': 'application/json' } });
  sent.end(format === undefined ? undefined : JSON.stringify({ format }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  return bytes;
}

async function downloadAll(id: string): Promise<void> {
  const { body } = await api.get<{ size: number }>(`/api/recordings/${id}/info`);
  for (const format of ['json', 'text', 'html', 'cast'])
    expect(await download(`/api/recordings/${id}/export`, format)).toBeGreaterThan(body.size / 2);
  expect(await download(`/api/recordings/${id}`)).toBeGreaterThan(body.size);
}

it(`a recording of ${RECORDED_MB} MB starts, stops, lists and exports within ${BOUND / MB} MB more than a small one`, {
  timeout: 300_000 + RECORDED_MB * 3_000,
}, async () => {
  // The service grows to the size that the same floods need unrecorded: the second reuses the memory of the first.
  for (let flood = 0; flood < 2; flood += 1) await print(RECORDED_MB, false);
  // The export threads start once, whatever the size.
  await downloadAll((await print(BLOCK_MB, true))!);
  const small = peak();

  const id = (await print(RECORDED_MB, true))!;
  const whileRecorded = peak();
  const { body } = await api.get<{ recordings: Array<{ id: string; size: number }> }>('/api/recordings');
  expect(body.recordings.find((recording) => recording.id === id)!.size).toBeGreaterThanOrEqual(
    RECORDED_MB * MB,
  );
  await downloadAll(id);
  const whileExported = peak();
  const figures = `a small one ${small / MB} MB, recorded ${whileRecorded / MB} MB, exported ${whileExported / MB} MB`;
  if (process.env.AUTO_TERMINAL_RECORDING_MB) process.stdout.write(`${figures}\n`);
  expect(whileRecorded - small, figures).toBeLessThan(BOUND);
  expect(whileExported - small, figures).toBeLessThan(BOUND);
});
