import type { ChangesAnswer } from '../../src/contract/changes.js';
import type { Api } from '../../test/support/http.js';
import { eventually } from '../../test/support/processes.js';
import type { HttpLoopCalls, LoopTerminal } from '../peers/http-loop.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { metered } from '../support/cpu.js';
import { createTerminals } from '../support/create-terminals.js';
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
const PATHS = ['/output', '/snapshot'];

/** Measures reads of many terminals while some of them flood. */
export async function reads(bench: Bench): Promise<Row[]> {
  const { cleanup, scale } = bench;
  const count = Math.round(TERMINALS * scale);
  const floods = Math.min(FLOODS, Math.floor(count / 2));
  requirePtys(count);
  const service = await startOurs(cleanup);
  const terminals = [
    ...(await printed(service, count - floods)),
    // Created last, so that the others print their lines undisturbed.
    ...(await flooding(service, floods)),
  ];
  const client = Peer.start<HttpLoopCalls>(cleanup, 'http-loop');
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
    {
      name: `reads ${where}`,
      value: medianOf(ours, ({ result, seconds }) => answers(result) / seconds),
      unit: '/s',
      cpu: { ours: medianOf(ours, ({ cpu }) => cpu) },
    },
  ];
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
