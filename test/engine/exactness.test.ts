import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_LOG_BYTES } from '../../src/contract/limits.js';
import { type Api, createApi } from '../support/http.js';
import { eventually, processInfo } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';
import { eventOf, openRawStream, openStream } from '../support/stream.js';

/** Runs of the large flood; the claim in the documentation rests on 20. */
const RUNS = Number(process.env.AUTO_TERMINAL_FLOOD_RUNS ?? 2);
const FLOOD_BYTES = 60_000_000;
const PART_BYTES = 2_500_000;

let service: Service;
let api: Api;
let folder: string;

beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
  folder = mkdtempSync(join(tmpdir(), 'at-exact-'));
});

afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

/**
 * Hashes everything that a terminal of this command sends over WebSocket, up to its exit event.
 *
 * @param creditBytes - the command gets one line to read for every `creditBytes` bytes that have arrived
 */
async function record(command: string[], creditBytes = Infinity) {
  const messages: Buffer[] = [];
  const credits: Array<Promise<object>> = [];
  let ended = () => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const stream = await openRawStream(service.url, 'events=lifecycle&seq=1', (message) => {
    messages.push(message);
    if (message.length < 1_000 && message.includes('"terminal.exited"')) ended();
    const arrived = Number(/"seq":(\d+)/.exec(message.toString('latin1', message.length - 80))?.[1] ?? 0);
    while (arrived >= (credits.length + 1) * creditBytes) credits.push(created.then(giveLine));
  });
  const created = api.post<{ id: string }>('/api/terminals', { command });
  expect((await created).status).toBe(200);
  await end;
  await stream.close();
  await Promise.all(credits);
  return told(messages);
}

function giveLine({ body }: { body: { id: string } }) {
  return api.post(`/api/terminals/${body.id}/input`, { data: '\r' });
}

function told(messages: readonly Buffer[]) {
  const hash = createHash('sha256');
  let bytes = 0;
  let afterExit = 0;
  let resyncs = 0;
  let exit: object | undefined;
  let seq = 0;
  for (const message of messages) {
    const event = eventOf(message);
    if (event?.type === 'terminal.exited') exit = event.data;
    if (event?.type !== 'output.data') continue;
    const content = event.data.content ?? '';
    if (content.startsWith('\x1bc')) resyncs++;
    if (exit) afterExit++;
    hash.update(content);
    bytes += Buffer.byteLength(content);
    seq = event.seq ?? 0;
  }
  return { digest: hash.digest('hex'), bytes, seq, afterExit, resyncs, exit };
}

describe('output over WebSocket', () => {
  it(`carries every byte of a ${FLOOD_BYTES / 1e6} MB flood in order, before the exit`, {
    timeout: 300_000 * RUNS,
  }, async () => {
    const lines: string[] = [];
    for (let size = 0; size < FLOOD_BYTES; size += lines.at(-1)!.length + 1) {
      lines.push(`${lines.length} plain, \x1b[3${lines.length % 8}mcoloured\x1b[m and wide: 日本語 é`);
    }
    const printed = `${lines.join('\r\n')}\r\n`;
    writeFileSync(join(folder, 'flood'), `${lines.join('\n')}\n`);
    execFileSync('split', ['--bytes', `${PART_BYTES}`, 'flood', 'part-'], { cwd: folder });
    // At most two parts are ahead of this client. By contract, the service cuts a client that is further behind than
    // its queue allows; beside other tests that depends on the scheduling: in CI this client was once cut.
    const script = `stty -echo; cd ${folder}; set part-*; cat $1 $2; shift 2; for part; do read go; cat $part; done`;
    const expected = {
      digest: createHash('sha256').update(printed).digest('hex'),
      bytes: Buffer.byteLength(printed),
      seq: Buffer.byteLength(printed),
      afterExit: 0,
      resyncs: 0,
      exit: { exitCode: 0, signal: null, exitedAt: expect.any(Number) },
    };
    for (let run = 0; run < RUNS; run++) {
      expect(await record(['sh', '-c', script], PART_BYTES)).toEqual(expected);
    }
  });

  it('is complete for 200 programs that print and end at once', async () => {
    const expected = new Map<string, string>();
    const received = new Map<string, string>();
    const exited = new Set<string>();
    const late: string[] = [];
    let arrived = () => {};
    const stream = await openStream(service.url, 'events=lifecycle', ({ type, terminalId, data }) => {
      if (type === 'terminal.exited') exited.add(terminalId);
      if (type === 'output.data') {
        if (exited.has(terminalId)) late.push(terminalId);
        received.set(terminalId, (received.get(terminalId) ?? '') + data.content);
      }
      arrived();
    });
    const allExited = new Promise<void>((resolve) => {
      arrived = () => exited.size === 200 && resolve();
    });
    for (let batch = 0; batch < 20; batch++) {
      await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const text = 'abcdefghij'.repeat(501).slice(0, 1 + (((batch * 10 + index) * 2503) % 5000));
          const { body } = await api.post<{ id: string }>('/api/terminals', {
            command: ['printf', '%s', text],
          });
          expected.set(body.id, text);
        }),
      );
    }
    await allExited;
    await stream.close();
    const short = [...expected].filter(([id, text]) => received.get(id) !== text);
    expect(short).toEqual([]);
    expect(late).toEqual([]);
  });

  it('loses nothing if the whole service stands still while the program ends', async () => {
    const start = join(folder, 'start');
    execFileSync('mkfifo', [start]);
    // As much as the pty host reads ahead. More output waits in the kernel, which wakes a writer only once its buffer
    // is nearly empty, so the program need not end before that output is read.
    const printed = 'nobody reads this before the program has ended\r\n'
      .repeat(20_000)
      .slice(0, MAX_LOG_BYTES - 100_000);
    const file = join(folder, 'printed');
    writeFileSync(file, printed);
    const { id, pid } = (
      await api.post<{ id: string; pid: number }>('/api/terminals', {
        command: ['sh', '-c', `stty raw; read go < ${start}; exec cat ${file}`],
      })
    ).body;
    let received = '';
    let ended = () => {};
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const stream = await openStream(service.url, `terminals=${id}&events=lifecycle`, ({ type, data }) => {
      if (type === 'output.data') received += data.content;
      else ended();
    });
    process.kill(service.pid, 'SIGSTOP');
    try {
      writeFileSync(start, 'go\n');
      await eventually('the program has ended', () => processInfo(pid) === undefined);
    } finally {
      process.kill(service.pid, 'SIGCONT');
    }
    await end;
    await stream.close();
    expect(received.length).toBe(printed.length);
    expect(received).toBe(printed);
  });

  it('replaces invalid UTF-8 as any decoder does', async () => {
    const file = join(folder, 'binary');
    const binary = Buffer.from(
      Array.from({ length: 100_000 }, (_, index) => (index * 7919 + (index >> 3)) % 256),
    );
    writeFileSync(file, binary);
    // Raw mode, so that the terminal changes no bytes.
    const { digest } = await record(['sh', '-c', `stty raw; cat ${file}`]);
    expect(digest).toBe(createHash('sha256').update(binary.toString('utf8')).digest('hex'));
  });
});
