import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { startOurs } from '../support/our-service.js';
import { percentile } from '../support/stats.js';
import { Typist } from '../support/typist.js';

/** Patterns that would each take longer than the age of the universe. */
const BOMBS = ['(a+)+$', '(a|aa)+$', '(\\w*)*\\d'];
const PRINTED_CHARS = 1_000_000;
const WARM_UP = 1_000;
const KEYS_OF_A_TURN = 50;
/** Turns of each kind, which alternate, so that both meet the same machine load. */
const TURNS = 12;

/** Measures typing in one terminal while endless regular expressions are tried on another terminal's output. */
export async function regex({ cleanup, progress }: Bench): Promise<Row[]> {
  const { url, api } = await startOurs(cleanup);
  const create = async (command: string[]) =>
    (await api.post<{ id: string }>('/api/terminals', { command })).body.id;
  const printing = `head -c ${PRINTED_CHARS} /dev/zero | tr '\\0' a; printf '!'; exec cat`;
  const printed = await create(['sh', '-c', printing]);
  const wait = (body: object) =>
    api.post<{ reason: string }>(`/api/terminals/${printed}/wait`, { timeoutMs: 60_000, ...body });
  await wait({ until: 'text', text: '!' });
  const typedInto = await create(['sh', '-c', 'stty -icanon -echo; exec cat']);
  const keyboard = await new Typist(cleanup).at(url, typedInto);
  await keyboard.type(WARM_UP);
  const alone: number[] = [];
  const beside: number[] = [];
  const answers: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    progress.round(turn + 1, TURNS);
    alone.push(...(await keyboard.type(KEYS_OF_A_TURN)));
    let isOver = false;
    const begin = performance.now();
    const bombed = Promise.all(BOMBS.map((bomb) => wait({ until: 'text', regex: bomb }))).then((bombs) => {
      isOver = true;
      answers.push(performance.now() - begin);
      for (const { body } of bombs) {
        if (body.reason !== 'regex-too-slow')
          throw new Error(`an endless expression was answered with ${body.reason}, not with regex-too-slow`);
      }
    });
    while (!isOver) beside.push(...(await keyboard.type(1)));
    await bombed;
  }
  const name = 'keystroke echo beside endless regular expressions';
  const figure = (what: string, percent: number): Row => ({
    name: `${name}: ${what}`,
    value: percentile(beside, percent),
    unit: 'ms',
    peer: { name: 'without them', value: percentile(alone, percent) },
  });
  return [
    figure('p50', 50),
    figure('p99', 99),
    figure('slowest', 100),
    { name: `${BOMBS.length} of them at once, answered`, value: percentile(answers, 100), unit: 'ms' },
  ];
}
