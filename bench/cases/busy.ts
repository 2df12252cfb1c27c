import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_SETTINGS } from '../../src/contract/settings.js';
import type { Backend, Terminal } from '../../src/contract/terminal.js';
import { eventually } from '../../test/support/processes.js';
import type { HttpLoopCalls } from '../peers/http-loop.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { metered } from '../support/cpu.js';
import { closeTerminals, createTerminals } from '../support/create-terminals.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { Peer } from '../support/peer-calls.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { percentile } from '../support/stats.js';
import { Typist } from '../support/typist.js';

/** Number of programs that use all the CPU they get, and print nothing. */
const BUSY = 60;
const BUSY_LOOP = ['sh', '-c', 'while :; do :; done'];

/** A program that echoes each key itself, as an editor does. */
const ECHO = ['sh', '-c', 'stty -icanon -echo; printf ready; exec cat'];
/** Enough keys for a meaningful p99: with half of them, the p99 would be the second slowest key. */
const KEYS = 300;
const READ_MS = 4_000;
/** Length of the warm-up, until the code is compiled. */
const WARM_UP_KEYS = 1_500;
const WARM_UP_MS = 2_000;

/**
 * Duration in which the programs' CPU time is measured, while a client sends requests at a fixed rate. The side without
 * nice programs must keep up with the rate, too: of 20 requests a second it answers only 4 to 7, and each request takes
 * 4 ms from the programs.
 */
const THROUGHPUT_MS = 15_000;
const ASK_EVERY_MS = 500;
/** If 16 terminals are created at once at nice 0, tmux answers some requests only after the service's limit of 5 s. */
const CREATED_AT_ONCE = 4;

interface Round {
  echo: number[];
  reads: number[];
  /** CPU seconds that the programs use per second. */
  programs: number;
}

/** Measures a client's latency beside busy terminals, and the CPU time these get, with nice programs and without. */
export async function busy(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const backend of ['pty', 'tmux'] as const) rows.push(...(await on(backend, bench)));
  return rows;
}

async function on(backend: Backend, bench: Bench): Promise<Row[]> {
  const { cleanup, scale } = bench;
  const count = Math.max(2, Math.round(BUSY * scale));
  const service = await startOurs(cleanup);
  const typist = new Typist(cleanup);
  const reader = Peer.start<HttpLoopCalls>(cleanup, 'http-loop');
  const { nice } = DEFAULT_SETTINGS.terminals;
  const round = (value: number) => oneRound({ service, typist, reader, backend, count, nice: value });
  const warm = await echoing(service, backend);
  const keyboard = await typist.at(service.url, warm);
  await keyboard.type(WARM_UP_KEYS);
  await readFor(reader, service, warm, WARM_UP_MS);
  await keyboard.close();
  await closeTerminals(service.url, [warm]);
  const sides = { ours: () => round(nice), without: () => round(0) };
  const { ours, without } = await inRounds(bench, sides, backend);

  const where = `beside ${count} busy terminals (${backend}), nice ${nice}`;
  const peer = (value: number) => ({ name: 'nice 0', value });
  const times = (name: string, of: (result: Round) => number[]) =>
    [50, 99].map((percent): Row => {
      const figure = (results: Round[]) => medianOf(results, (result) => percentile(of(result), percent));
      return {
        ...{ name: `${name} ${where}: p${percent}`, value: figure(ours), unit: 'ms' },
        peer: peer(figure(without)),
        target: percent === 99 ? { value: { max: 50 } } : undefined,
      };
    });
  return [
    ...times('keystroke echo by a program', ({ echo }) => echo),
    ...times('GET /output', ({ reads }) => reads),
    {
      ...{
        name: `processor time of the programs ${where}`,
        value: medianOf(ours, ({ programs }) => programs),
      },
      unit: 's/s',
      peer: peer(medianOf(without, ({ programs }) => programs)),
      better: 'more',
      target: { ratio: { min: 0.97 } },
    },
  ];
}

interface RoundOptions {
  service: OurService;
  typist: Typist;
  reader: Peer<HttpLoopCalls>;
  backend: Backend;
  count: number;
  nice: number;
}

/** Runs a round with new terminals, since a program keeps the nice value that it was started with. */
async function oneRound({ service, typist, reader, backend, count, nice }: RoundOptions): Promise<Round> {
  const { url, api } = service;
  await api.patch('/api/settings', { terminals: { nice } });
  const { ids } = await createTerminals(url, count, () => ({ command: BUSY_LOOP, backend }), CREATED_AT_ONCE);
  const pids = await Promise.all(
    ids.map(async (id) => (await api.get<Terminal>(`/api/terminals/${id}`)).body.pid),
  );
  const id = await echoing(service, backend);
  const keyboard = await typist.at(url, id);
  const echo = await keyboard.type(KEYS);
  await keyboard.close();
  const reads = await readFor(reader, service, id, READ_MS);
  const { cpu, seconds } = await metered(pids, () => askPaced(service, id));
  await closeTerminals(url, [...ids, id]);
  return { echo, reads, programs: cpu / seconds };
}

/** Creates a terminal that echoes, and resolves with its id once it does. */
async function echoing({ url, api }: OurService, backend: Backend): Promise<string> {
  const [id = ''] = (await createTerminals(url, 1, () => ({ command: ECHO, backend }))).ids;
  await eventually('the program echoes', async () => {
    const { body } = await api.get<{ raw: string }>(`/api/terminals/${id}/output`);
    return body.raw.includes('ready');
  });
  return id;
}

/** Resolves with the milliseconds of each answer. */
async function readFor(
  reader: Peer<HttpLoopCalls>,
  { url }: OurService,
  id: string,
  ms: number,
): Promise<number[]> {
  const terminals = [{ id, text: 'ready' }];
  const taken = await reader.call('read', { url, connections: 1, ms, terminals, paths: ['/output'] });
  return taken['/output']!;
}

async function askPaced({ api }: OurService, id: string): Promise<void> {
  const end = performance.now() + THROUGHPUT_MS;
  for (let next = performance.now(); next < end; next += ASK_EVERY_MS) {
    await api.get(`/api/terminals/${id}/output`);
    await delay(Math.max(0, next + ASK_EVERY_MS - performance.now()));
  }
}
