import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import type { AutoTerminal } from '#dist/client/index.js';
import type { BatchRunAnswer } from '#dist/contract/run.js';
import { createApi, watch } from '../support/http.js';
import { call, connect } from '../support/mcp.js';
import { otherRelease } from '../support/other-release.js';
import { eventually } from '../support/processes.js';
import { dataOf, startRecording, stopRecording } from '../support/recordings.js';
import { openTerminal } from '../support/runs.js';
import { closeAfterEach, connectTo, ofHome } from '../support/sdk.js';
import { type Service, startService } from '../support/service.js';

/** `npm run test:long` hands over 50 times; from 50 on, the test uses more terminals. */
const HANDOVERS = Number(process.env.AUTO_TERMINAL_KILLS ?? 3);
const IS_LONG = HANDOVERS >= 50;
const COUNTERS = IS_LONG ? 30 : 5;
const RECORDED = IS_LONG ? 3 : 2;
const WATCHERS = IS_LONG ? 5 : 3;
const FLOODS = IS_LONG ? 3 : 1;
const EDITORS = IS_LONG ? 4 : 1;
const CODE = 40;
const env = { SHELL: '/bin/bash' };

/** Prints counted lines until a key comes; then prints END, and exits with the code. */
const counter = (code: number) => `
process.stdin.setRawMode(true);
let isOver = false;
process.stdin.once('data', () => { isOver = true; });
let count = 0;
const turn = () => {
  if (isOver) return void process.stdout.write('\\nEND', () => process.exit(${code}));
  let text = '';
  for (const end = count + 1 + count % 50; count < end; count++) text += 'line ' + count + ' é中😀\\n';
  process.stdout.write(text, () => setTimeout(turn, 5 + count % 7));
};
turn();
`;

let service: Service;
closeAfterEach();
afterEach(() => service.stop());

/** Follows a terminal across handovers until it shows the text; a screen replaces the text before it. */
async function follow(client: AutoTerminal, id: string, last: string): Promise<string> {
  let text = '';
  for await (const { data, isScreen } of client.watch({ terminals: [id] })) {
    text = isScreen ? data : text + data;
    if (text.includes(last)) return text;
  }
  throw new Error('the stream has ended');
}

/** Sends a run with a key until it is answered. */
async function answered(ids: string[], file: string): Promise<BatchRunAnswer> {
  const key = `handed over ${file}`;
  for (;;) {
    try {
      const body = { terminalIds: ids, command: `sleep 0.3; echo x >> ${file}; (exit 5)` };
      const { url } = service;
      const api = createApi(url, { headers: { 'idempotency-key': key } });
      const { status, body: answer } = await api.post<BatchRunAnswer>('/api/terminals/batch/run', body);
      if (status === 200) return answer;
      if (status !== 503) throw new Error(`${status}: ${JSON.stringify(answer)}`);
    } catch (error) {
      // The connection broke, or the next service does not listen yet.
      if (!(error instanceof TypeError && error.message === 'fetch failed')) throw error;
    }
    await delay(20);
  }
}

/** Whether a client has its screen again after its last connection was lost. */
const isBack = (events: readonly string[]) =>
  events.includes('disconnected') && events.lastIndexOf('reset') > events.lastIndexOf('disconnected');

it('loses nothing when the service is handed over again and again', {
  timeout: 300_000 + HANDOVERS * 40_000,
}, async () => {
  // The first service is of an older release, so that the second renews the pty host while all of these terminals run.
  const older = await otherRelease('0.0.9');
  onTestFinished(older.remove);
  service = await startService({ env, main: older.main, mcp: true });
  const { home, mcpUrl } = service;
  const toolClient = await connect(mcpUrl!);
  const again = ['--mcp-port', new URL(mcpUrl!).port];
  const client = connectTo(ofHome(home));
  const api = () => createApi(service.url);
  const counters = await Promise.all(
    Array.from({ length: COUNTERS }, (_, index) =>
      client.terminals.create({ command: [process.execPath, '-e', counter(CODE + index)] }),
    ),
  );
  const recorded = await Promise.all(
    counters.slice(0, RECORDED).map(async ({ id }) => ({ id, recording: await startRecording(api(), id) })),
  );
  const shells = await Promise.all([0, 1].map(() => openTerminal(api(), ['bash'])));
  const watched = counters.slice(0, WATCHERS).map(({ id }) => follow(client, id, 'END'));
  for (let index = 0; index < FLOODS; index++) await client.terminals.create({ command: ['yes', 'flood'] });
  const editors = await Promise.all(
    Array.from({ length: EDITORS }, async (_, index) => {
      const command = ['vim', '-u', 'NONE', '-i', 'NONE', '-n', '-c', `call setline(1, "text ${index}")`];
      const terminal = await client.terminals.create({ command, cwd: home });
      await terminal.waitFor({ until: 'text', text: `text ${index}` });
      return terminal;
    }),
  );
  const typed = await client.terminals.create({ command: ['cat'] });
  const attachment = client.terminals.get(typed.id).attach({ cols: 80, rows: 20 });
  const attached: string[] = [];
  const attaching = (async () => {
    for await (const event of attachment) attached.push(event.type);
  })();
  await eventually('a client is attached', () => attached.includes('reset'));
  for (let round = 0; round < HANDOVERS; round++) {
    // Only the counters: after the output of a flood, a close code may come later than the service waits.
    const plain = await watch(service.url, `seq=1&terminals=${counters.map(({ id }) => id).join()}`);
    const closed = new Promise<number>((resolve) => plain.socket.once('close', resolve));
    const file = join(home, `ran-${round}`);
    const run = answered(shells, file);
    await delay(randomInt(600));
    expect(await service.kill('SIGUSR2')).toBe(0);
    expect(await closed, `in round ${round}`).toBe(1012);
    await eventually('the attached client has noticed', () => attached.at(-1) === 'disconnected');
    service = await startService({ home, env, mcp: true, args: again });
    const tools = await call<{ terminals: unknown[] }>(toolClient, 'list_terminals');
    expect([tools.isError, tools.structured.terminals.length > COUNTERS]).toEqual([false, true]);
    expect(service.log().includes('the pty host has been renewed')).toBe(round === 0);
    const { results } = await run;
    // Where a run has no result, its reason says more.
    const ends = results.map(({ exitCode, done, reason }) => (done ? exitCode : reason));
    expect(ends, `in round ${round}`).toEqual([5, 5]);
    expect(readFileSync(file, 'utf8')).toBe('x\nx\n');
  }
  // The attached client's last connection is the connection to the last service.
  await eventually('the attached client is back', () => isBack(attached));
  await attachment.type('typed after all\r');
  await client.terminals.get(typed.id).waitFor({ until: 'text', text: 'typed after all' });
  expect(new Set(attached)).not.toContain('removed');
  for (const [index, { id }] of editors.entries()) {
    const editor = client.terminals.get(id);
    await editor.type(`:%s/text/kept/e | w! kept-${index} | q\r`);
    await editor.waitFor({ until: 'exit' });
    expect(readFileSync(join(home, `kept-${index}`), 'utf8')).toBe(`kept ${index}\n`);
  }
  for (const { id } of counters) await client.terminals.get(id).type('q');
  for (const [index, { id }] of counters.entries()) {
    await client.terminals.get(id).waitFor({ until: 'exit' });
    expect(await client.terminals.get(id).info()).toMatchObject({ status: 'exited', exitCode: CODE + index });
  }
  for (const text of await Promise.all(watched)) expect(text).toMatch(/line \d+ é中😀/);
  for (const { recording } of recorded) {
    const output = dataOf(await stopRecording(api(), recording), 'output');
    const lines = output.slice(output.indexOf('line '), output.indexOf('\r\nEND')).split('\r\n').slice(0, -1);
    const first = Number(lines[0]!.split(' ')[1]);
    // The first line that is wrong says more than a diff of all of them.
    const wrong = lines.findIndex((line, index) => line !== `line ${first + index} é中😀`);
    expect(wrong === -1 ? [] : lines.slice(Math.max(0, wrong - 2), wrong + 3)).toEqual([]);
    expect(lines.length).toBeGreaterThan(HANDOVERS * 20);
  }
  await attachment.detach();
  await attaching;
});
