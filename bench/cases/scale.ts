import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';
import type { ChangesAnswer } from '../../src/contract/changes.js';
import { SLEEP_AFTER_MS } from '../../src/contract/limits.js';
import { eventually, processInfo } from '../../test/support/processes.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import type { Cleanup } from '../support/cleanup.js';
import { metered } from '../support/cpu.js';
import { createTerminals } from '../support/create-terminals.js';
import { type Memory, memoryOf, settledMemory } from '../support/memory.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { requirePtys } from '../support/ptys.js';
import { medianOf } from '../support/rounds.js';
import { percentile } from '../support/stats.js';

const TERMINALS = 4_000;
/**
 * Terminals in each of the two compared blocks, one at the beginning and one at the end. As many terminals before the
 * first block warm up the service: first-time compilation would make the first block slow, and the last block fast in
 * comparison.
 */
const BLOCK = 200;
const IDLE_MS = 20_000;
const REQUESTS = 30;
const WARM_UP_REQUESTS = 10;
const ALL_PRINTED_DEADLINE_MS = 60_000;
const HOST_END_DEADLINE_MS = 60_000;

/** Measures as many terminals as the usual limits of a machine allow: creation, list, cost when idle, and changes. */
export async function scale(bench: Bench): Promise<Row[]> {
  const count = Math.round(TERMINALS * bench.scale);
  const block = Math.min(BLOCK, Math.floor(count / 4));
  bench.progress.round(1, bench.rounds);
  let full = await fill(bench.cleanup, count, block);
  const made = [full.made];
  while (made.length < bench.rounds) {
    bench.progress.round(made.length + 1, bench.rounds);
    await full.service.stop();
    await hostEnded(full.service);
    full = await fill(bench.cleanup, count, block);
    made.push(full.made);
  }
  bench.progress.note('list, rest and changes');
  const name = `${count} terminals`;
  return [
    {
      ...{ name: `create ${name}`, value: medianOf(made, ({ rate }) => rate), unit: '/s' },
      cpu: { ours: medianOf(made, ({ cpu }) => cpu) },
      target: { value: { min: 200 } },
    },
    {
      ...{ name: `create ${name}: the last ${block}`, value: medianOf(made, ({ last }) => last), unit: 's' },
      peer: {
        name: `the first ${block} after a warm-up of ${block}`,
        value: medianOf(made, ({ first }) => first),
      },
      target: { ratio: { max: 1.5 } },
    },
    ...(await list(full.service, count)),
    ...(await atRest(full)),
    ...(await changes(full.service, full.ids)),
  ];
}

interface Full {
  service: OurService;
  ids: string[];
  /** Memory of the service and of the pty host before the terminals. */
  before: Memory[];
  /** Terminals per second; seconds for the first block after the warm-up, and for the last; CPU seconds for all. */
  made: { rate: number; first: number; last: number; cpu: number };
}

/** Starts a new service and creates `count` terminals. */
async function fill(cleanup: Cleanup, count: number, block: number): Promise<Full> {
  requirePtys(count);
  let started: OurService | undefined;
  // Deferred before the service's own stop, so that it runs after the stop.
  cleanup.defer(async () => started && hostEnded(started));
  const service = await startOurs(cleanup);
  started = service;
  const before = service.pids.map((pid) => memoryOf([pid]));
  const cat = () => ({ command: ['cat'] });
  const { result, cpu } = await metered(service.pids, () => createTerminals(service.url, count, cat));
  const { answeredAt, ids } = result;
  const madeIn = (from: number) => answeredAt[from + block - 1]! - answeredAt[from - 1]!;
  const made = { rate: count / answeredAt.at(-1)!, first: madeIn(block), last: madeIn(count - block), cpu };
  return { service, ids, before, made };
}

/**
 * Resolves when the pty host of a stopped service has ended, and all PTYs with it. With many terminals, the pty host
 * still closes them for a while after the service's stop. A pty host that does not end is killed.
 */
async function hostEnded({ pids: [, host] }: OurService): Promise<void> {
  const state = () => processInfo(host!)?.state ?? 'Z';
  await eventually('the pty host has ended', () => state() === 'Z', HOST_END_DEADLINE_MS).catch((error) => {
    process.kill(host!, 'SIGKILL');
    throw error;
  });
}

async function list({ url }: OurService, count: number): Promise<Row[]> {
  const asked = await timesOf(async () => {
    const { body } = await request(`${url}/api/terminals`);
    return body.text();
  });
  const listed = (JSON.parse(asked.last) as { terminals: unknown[] }).terminals.length;
  if (listed !== count) throw new Error(`${listed} of ${count} terminals are listed`);
  return [50, 99].map((percent) => ({
    ...{
      name: `list of ${count} terminals: p${percent}`,
      value: percentile(asked.times, percent),
      unit: 'ms',
    },
  }));
}

/** Measures CPU and memory of idle terminals. */
async function atRest({ service: { pids }, before, ids: { length } }: Full): Promise<Row[]> {
  // The work before must not count: waits until the service has put the screens to sleep and freed memory.
  await settledMemory(pids, { atLeastMs: 4 * SLEEP_AFTER_MS });
  const { cpu, seconds } = await metered(pids, () => setTimeout(IDLE_MS));
  const grown = pids.map((pid, index) => (memoryOf([pid]).rss - before[index]!.rss) / length / 1024);
  const name = `${length} terminals, idle`;
  return [
    {
      ...{ name: `${name}: CPU`, value: (cpu / seconds) * 100, unit: '% of a core', cpu: { ours: cpu } },
      target: { value: { max: 1 } },
    },
    { name: `${name}: service memory for each`, value: grown[0]!, unit: 'KB' },
    { name: `${name}: pty host memory for each`, value: grown[1]!, unit: 'KB' },
  ];
}

/** Measures `/changes` of all terminals: with a new line in each, and with nothing new in any. */
async function changes({ url, api }: OurService, ids: readonly string[]): Promise<Row[]> {
  const ask = async (cursors: Record<string, string | null>) => {
    const { statusCode, body } = await request(`${url}/api/terminals/changes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ cursors }),
    });
    const answer = await body.text();
    if (statusCode !== 200) throw new Error(`changes: ${statusCode} ${answer}`);
    return answer;
  };
  const parse = (answer: string) => (JSON.parse(answer) as ChangesAnswer).changes;
  const never = Object.fromEntries(ids.map((id) => [id, null]));
  await api.post('/api/terminals/batch/input', { terminalIds: ids, data: 'a line\r' });
  // The terminal echoes the line, then cat prints it.
  const twice = /a line\s+a line/;
  await eventually(
    'every terminal has printed its line',
    async () => parse(await ask(never)).filter(({ raw }) => twice.test(raw)).length === ids.length,
    ALL_PRINTED_DEADLINE_MS,
  );
  const all = await timesOf(() => ask(never));
  const cursors = Object.fromEntries(parse(all.last).map(({ id, cursor }) => [id, cursor]));
  const none = await timesOf(() => ask(cursors));
  if (parse(none.last).length > 0) throw new Error('terminals at rest have changed');
  const name = `changes of ${ids.length} terminals`;
  return [
    { name: `${name}, a line in each: p50`, value: percentile(all.times, 50), unit: 'ms' },
    { name: `${name}, none in any: p50`, value: percentile(none.times, 50), unit: 'ms' },
  ];
}

/** Resolves with the milliseconds of each of several requests after a warm-up, and with the last answer. */
async function timesOf(ask: () => Promise<string>): Promise<{ times: number[]; last: string }> {
  const times: number[] = [];
  let last = '';
  for (let index = 0; index < WARM_UP_REQUESTS + REQUESTS; index++) {
    const begin = performance.now();
    last = await ask();
    if (index >= WARM_UP_REQUESTS) times.push(performance.now() - begin);
  }
  return { times, last };
}
