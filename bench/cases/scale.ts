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
 * Terminals whose time is compared, at the beginning and at the end. As many before them warm the service up: code
 * that is compiled for the first time would make the first ones look slow, and the last ones fast beside them.
 */
const BLOCK = 200;
const IDLE_MS = 20_000;
const REQUESTS = 30;
const WARM_UP_REQUESTS = 10;
const ALL_PRINTED_DEADLINE_MS = 60_000;
const HOST_END_DEADLINE_MS = 60_000;

/** As many terminals as a machine with the usual limits has: making them, asking for all, and what they cost at rest. */
export async function scale(bench: Bench): Promise<Row[]> {
  const count = Math.round(TERMINALS * bench.scale);
  const block = Math.min(BLOCK, Math.floor(count / 4));
  let full = await fill(bench.cleanup, count, block);
  const made = [full.made];
  while (made.length < bench.rounds) {
    await full.service.stop();
    await hostEnded(full.service);
    full = await fill(bench.cleanup, count, block);
    made.push(full.made);
  }
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
  /** Of service and pty host, before the terminals. */
  before: Memory[];
  /** Terminals a second, seconds for the first block after the warm-up and for the last, CPU seconds for all. */
  made: { rate: number; first: number; last: number; cpu: number };
}

/** A new service with so many terminals. */
async function fill(cleanup: Cleanup, count: number, block: number): Promise<Full> {
  requirePtys(count);
  let started: OurService | undefined;
  // Put off before the service's own end, so that it comes after it.
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
 * Resolves when the pty host of a service that has stopped has ended, and all PTYs with it: it closes terminals on for a
 * while when they are too many for the time that the service takes to stop. One that does not end is killed.
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

/** What they take when nobody does anything with them. */
async function atRest({ service: { pids }, before, ids: { length } }: Full): Promise<Row[]> {
  // What is put to sleep and freed after work is none of it.
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

/** What all terminals have printed since, when each has printed a line, and when none has printed anything. */
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
  // Echoed by the terminal, then printed by cat.
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

/** Milliseconds of each of some requests in a row, once the code on the way is compiled; and the last answer. */
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
