import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createApi } from '../../test/support/http.js';
import { hostPidOf, processInfo } from '../../test/support/processes.js';
import { type Service, startService } from '../../test/support/service.js';
import { openStream } from '../../test/support/stream.js';
import type { Row } from '../report.js';
import { median } from '../support/stats.js';

const ROUNDS = 5;
const LINES = 800_000;
const MB = 1e6;

interface Flood {
  name: string;
  file: string;
  /** Bytes that the terminal gives: each LF becomes CR LF. */
  bytes: number;
}

/** Throughput of one flooding terminal, without and with a client, beside a bare node-pty reader. */
export async function flood(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'at-bench-'));
  const service = await startService();
  try {
    const rows: Row[] = [];
    for (const input of [plain(folder), coloured(folder)]) rows.push(...(await measure(service, input)));
    return rows;
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
}

async function measure(service: Service, input: Flood): Promise<Row[]> {
  const bare: number[] = [];
  const alone: Run[] = [];
  const watched: Run[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(await bareReader(input));
    alone.push(await unwatched(service, input));
    watched.push(await oneClient(service, input));
  }
  const limit = { name: 'bare node-pty reader', value: median(bare) };
  const row = (clients: string, runs: Run[]): Row[] => [
    {
      name: `flood ${input.name}, ${clients}`,
      value: median(runs.map((run) => run.speed)),
      unit: 'MB/s',
      peer: limit,
    },
    { name: `flood ${input.name}, ${clients}: CPU`, value: median(runs.map((run) => run.cpu)), unit: 's/GB' },
  ];
  return [...row('0 clients', alone), ...row('1 client', watched)];
}

interface Run {
  /** MB/s. */
  speed: number;
  /** CPU seconds of service and pty host for each GB. */
  cpu: number;
}

async function bareReader({ file, bytes }: Flood): Promise<number> {
  const peer = fileURLToPath(new URL('../peers/bare-reader.js', import.meta.url));
  const env = { ...process.env, EXPECTED_BYTES: String(bytes) };
  const { stdout } = await promisify(execFile)(process.execPath, [peer, 'cat', file], { env });
  const result = JSON.parse(stdout) as { bytes: number; seconds: number };
  return result.bytes / MB / result.seconds;
}

/** Nobody watches the output; the terminal's end is seen by asking. */
async function unwatched(service: Service, input: Flood): Promise<Run> {
  return timed(service, input, async (create) => {
    const id = await create();
    const api = createApi(service.url, { unchecked: true });
    while ((await api.get<{ status: string }>(`/api/terminals/${id}`)).body.status === 'running') {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
}

async function oneClient(service: Service, input: Flood): Promise<Run> {
  return timed(service, input, async (create) => {
    let received = 0;
    let ended = () => {};
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const stream = await openStream(service.url, 'events=lifecycle', ({ type, data }) => {
      if (type === 'output.data') received += data.content?.length ?? 0;
      if (type === 'terminal.exited') ended();
    });
    await create();
    await end;
    await stream.close();
    if (received !== input.bytes) throw new Error(`${received} of ${input.bytes} bytes arrived`);
  });
}

async function timed(
  service: Service,
  { file, bytes }: Flood,
  run: (create: () => Promise<string>) => Promise<void>,
): Promise<Run> {
  const pids = [service.pid, hostPidOf(service.home)];
  const cpu = () => pids.reduce((sum, pid) => sum + (processInfo(pid)?.cpuSeconds ?? Number.NaN), 0);
  const before = cpu();
  const begin = performance.now();
  await run(async () => {
    const { body } = await createApi(service.url, { unchecked: true }).post<{ id: string }>(
      '/api/terminals',
      {
        command: ['cat', file],
      },
    );
    return body.id;
  });
  const seconds = (performance.now() - begin) / 1000;
  return { speed: bytes / MB / seconds, cpu: (cpu() - before) / (bytes / 1e9) };
}

function plain(folder: string): Flood {
  const line = 'The quick brown fox jumps over the lazy dog, 0123456789 times';
  return write('plain', folder, (index) => `${line} ${index}\n`);
}

function coloured(folder: string): Flood {
  const line =
    '\x1b[32mok\x1b[0m src/\x1b[1;34mmodule\x1b[22;39m/file.ts \x1b[38;5;208mcompiled\x1b[m in 12 ms';
  return write('coloured', folder, (index) => `${line} ${index}\n`);
}

function write(name: string, folder: string, line: (index: number) => string): Flood {
  const file = join(folder, name);
  writeFileSync(file, Array.from({ length: LINES }, (_, index) => line(index)).join(''));
  return { name, file, bytes: statSync(file).size + LINES };
}
