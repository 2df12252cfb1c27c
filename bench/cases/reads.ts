import type { ChangesAnswer } from '../../src/contract/changes.js';
import type { Api } from '../../test/support/http.js';
import { eventually } from '../../test/support/processes.js';
import type { HttpLoopCalls, LoopTerminal } from '../peers/http-loop.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { metered } from '../support/cpu.js';
import { createTerminals } from '../support/create-terminals.js';
import { startNaive } from '../support/naive-server.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { Peer } from '../support/peer-calls.js';
import { requirePtys } from '../support/ptys.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { percentile } from '../support/stats.js';

const TERMINALS = 1_000;
const FLOODS = 20;
/** Lines printed by each terminal that does not flood; an answer has the last 50. */
const LINES = 100;
const CONNECTIONS = 32;
const TURN_MS = 4_000;
/** Duration of the warm-up, until the code is compiled. */
const WARM_UP_MS = 3_000;
const PRINTED_DEADLINE_MS = 60_000;
/** Last text that SCREEN prints, a program that draws a coloured screen and leaves it in place. */
const SCREEN_END = 'the last row';
const ROW = String.raw`\033[3%d;4%dm some coloured text \033[m and some plain text in row %d\n`;
const SCREEN = `for i in $(seq 22); do printf '${ROW}' $((i % 8)) $((i % 7)) $i; done; printf '${SCREEN_END}'; exec cat`;
const PATHS = ['/output', '/snapshot'];

/** Measures reads of many terminals while some of them flood. */
export async function reads(bench: Bench): Promise<Row[]> {
  const { cleanup, scale } = bench;
  const count = Math.round(TERMINALS * scale);
  const floods = Math.min(FLOODS, Math.floor(count / 2));
  requirePtys(count);
  const service = await startOurs(cleanup);
  const client = Peer.start<HttpLoopCalls>(cleanup, 'http-loop');
  const alone = await besideNaive(bench, service, client);
  const terminals = [
    ...(await printed(service, count - floods)),
    // Created last, so that the others print their lines undisturbed.
    ...(await flooding(service, floods)),
  ];
  const read = (ms: number) =>
    client.call('read', { url: service.url, connections: CONNECTIONS, ms, terminals, paths: PATHS });
  await read(WARM_UP_MS);
  const { ours } = await inRounds(bench, { ours: () => metered(service.pids, () => read(TURN_MS)) });
  const where = `at ${count} terminals, ${floods} flooding, ${CONNECTIONS} connections`;
  const latencies = PATHS.flatMap((path) =>
    [50, 99].map(
      (percent): Row => ({
        name: `GET ${path} ${where}: p${percent}`,
        value: medianOf(ours, ({ result }) => percentile(result[path]!, percent)),
        unit: 'ms',
        target: percent === 99 ? { value: { max: 25 } } : undefined,
      }),
    ),
  );
  const answers = (result: Record<string, number[]>) =>
    Object.values(result).reduce((sum, times) => sum + times.length, 0);
  return [
    ...latencies,
    alone,
    {
      name: `reads ${where}`,
      value: medianOf(ours, ({ result, seconds }) => answers(result) / seconds),
      unit: '/s',
      cpu: { ours: medianOf(ours, ({ cpu }) => cpu) },
    },
  ];
}

/** Measures the snapshot of one coloured screen, beside a naive server that makes it with @xterm/addon-serialize. */
async function besideNaive(bench: Bench, { url }: OurService, client: Peer<HttpLoopCalls>): Promise<Row> {
  const naive = await startNaive(bench.cleanup);
  const command = ['sh', '-c', SCREEN];
  const loops = await Promise.all(
    [url, naive.url].map(async (origin) => {
      const { ids } = await createTerminals(origin, 1, () => ({ command }));
      const terminals = ids.map((id) => ({ id, text: SCREEN_END }));
      const loop = { url: origin, connections: 1, terminals, paths: ['/snapshot'] };
      await eventually('the screen is drawn', async () => {
        const answer = await fetch(`${origin}/api/terminals/${ids[0]}/snapshot`);
        return (await answer.text()).includes(SCREEN_END);
      });
      return (ms: number) => client.call('read', { ...loop, ms });
    }),
  );
  const [ourLoop, naiveLoop] = loops as [(typeof loops)[0], (typeof loops)[0]];
  for (const loop of loops) await loop(WARM_UP_MS);
  const rounds = { ours: () => ourLoop(TURN_MS), naive: () => naiveLoop(TURN_MS) };
  const times = await inRounds(bench, rounds, 'beside naive');
  const figure = (results: Record<string, number[]>[]) =>
    medianOf(results, (result) => percentile(result['/snapshot']!, 50));
  return {
    name: 'GET /snapshot of one coloured screen, 1 connection: p50',
    value: figure(times.ours),
    unit: 'ms',
    peer: { name: 'naive server', value: figure(times.naive) },
  };
}

/** Creates terminals and resolves once they have printed their lines. */
async function printed({ url, api }: OurService, count: number): Promise<LoopTerminal[]> {
  const lineOf = (index: number, line: string) => `terminal ${index} has line ${line}`;
  const { ids } = await createTerminals(url, count, (index) => ({
    command: ['sh', '-c', `seq -f '${lineOf(index, '%g')}' ${LINES}; exec cat`],
  }));
  const terminals = ids.map((id, index) => ({ id, text: lineOf(index, String(LINES)) }));
  await allPrinted(api, terminals);
  return terminals;
}

async function flooding({ url, api }: OurService, count: number): Promise<LoopTerminal[]> {
  const text = 'a line of a flood';
  const command = ['yes', `${text} that fills about seventy columns of the terminal it is in`];
  const { ids } = await createTerminals(url, count, () => ({ command }));
  const terminals = ids.map((id) => ({ id, text }));
  await allPrinted(api, terminals);
  return terminals;
}

/** Resolves when each terminal has printed its text. */
function allPrinted(api: Api, terminals: readonly LoopTerminal[]): Promise<void> {
  const cursors = Object.fromEntries(terminals.map(({ id }) => [id, null]));
  return eventually(
    'every terminal has printed its lines',
    async () => {
      const body = { cursors, maxBytes: 1024 };
      const { changes } = (await api.post<ChangesAnswer>('/api/terminals/changes', body)).body;
      const printed = new Map(changes.map(({ id, raw }) => [id, raw]));
      return terminals.every(({ id, text }) => printed.get(id)?.includes(text));
    },
    PRINTED_DEADLINE_MS,
  );
}
