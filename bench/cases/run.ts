import type { BatchRunAnswer } from '../../src/contract/run.js';
import type { Api } from '../../test/support/http.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { startOurs } from '../support/our-service.js';
import { median } from '../support/stats.js';

const COUNT = 300;
const AT_ONCE = 16;
const ROUNDS = 7;
/** Number of exit codes, which are bytes. */
const CODES = 256;

/** Measures one command in many shells at once: how much longer the answer takes than the slowest command. */
export async function run({ cleanup, progress }: Bench): Promise<Row[]> {
  const { api } = await startOurs(cleanup);
  const terminalIds = await createAll(api);
  const runAll = async (command: string) => {
    const begin = performance.now();
    const { body } = await api.post<BatchRunAnswer>('/api/terminals/batch/run', { terminalIds, command });
    return { ms: performance.now() - begin, results: body.results };
  };
  // Waits until every shell has shown its first prompt.
  await runAll('true');
  const totals: number[] = [];
  const slowest: number[] = [];
  const overheads: number[] = [];
  let right = 0;
  for (let round = 0; round < ROUNDS; round++) {
    progress.round(round + 1, ROUNDS);
    const { ms, results } = await runAll(`sleep 0.2; (exit $((INDEX % ${CODES})))`);
    const wrong = results.filter(({ exitCode }, index) => exitCode !== index % CODES);
    if (wrong.length > 0 || results.length !== COUNT)
      throw new Error(`${wrong.length} wrong of ${results.length}: ${JSON.stringify(wrong.slice(0, 3))}`);
    right += results.length;
    const longest = Math.max(...results.map(({ durationMs }) => durationMs ?? Number.NaN));
    totals.push(ms);
    slowest.push(longest);
    overheads.push(ms - longest);
  }
  const name = `run in ${COUNT} terminals`;
  return [
    {
      name: `${name}: median time`,
      value: median(totals),
      unit: 'ms',
      peer: { name: 'slowest command', value: median(slowest) },
    },
    { name: `${name}: median overhead over the slowest command`, value: median(overheads), unit: 'ms' },
    { name: `${name}: right exit codes`, value: right, unit: `of ${COUNT * ROUNDS}` },
  ];
}

/** Creates bash terminals with their numbers in INDEX; resolves with their ids. */
async function createAll(api: Api): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < COUNT; index = next++) {
      const body = { command: ['bash'], env: { INDEX: String(index) } };
      ids[index] = (await api.post<{ id: string }>('/api/terminals', body)).body.id;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return ids;
}
