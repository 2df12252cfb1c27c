import type { Watch } from '../../src/contract/watch.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { createTerminals } from '../support/create-terminals.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { percentile } from '../support/stats.js';
import { Typist } from '../support/typist.js';

const WATCHES = 1_000;
const TERMINALS = 300;
const FLOODS = 5;
/** Some of its lines match: one watch in a hundred finds its text. */
const FLOOD = [
  'bash',
  '-c',
  'while :; do seq -f "a line of a flood with match-%.0f. in it, and some more" 1 100000; done',
];
/** A program that echoes each key itself, as an editor does. */
const PROGRAM = ['sh', '-c', 'stty -icanon -echo; exec cat'];

/** Warm-up keys, until the code is compiled. */
const WARM_UP = 500;
const KEYS = 300;

/** Measures a key's echo beside five floods among 300 terminals, with 1,000 watches over all of them and without. */
export async function watches(bench: Bench): Promise<Row[]> {
  const { cleanup, scale } = bench;
  const [count, terminals] = [Math.round(WATCHES * scale), Math.round(TERMINALS * scale)];
  const service = await startOurs(cleanup);
  const { url } = service;
  const [id] = (await createTerminals(url, 1, () => ({ command: PROGRAM }))).ids;
  const keyboard = await new Typist(cleanup).at(url, id!);
  await keyboard.type(WARM_UP);
  await createTerminals(url, terminals, () => ({ command: ['cat'] }));
  await createTerminals(url, FLOODS, () => ({ command: FLOOD }));
  const times = await inRounds(bench, {
    without: () => keyboard.type(KEYS),
    with: () => watched(service, count, () => keyboard.type(KEYS)),
  });
  return Object.entries(times).flatMap(([how, side]) =>
    [50, 99].map(
      (percent): Row => ({
        name: `keystroke echo beside ${FLOODS} floods among ${terminals} terminals, ${how} ${count} watches: p${percent}`,
        value: medianOf(side, (round) => percentile(round, percent)),
        unit: 'ms',
        target: percent === 99 ? { value: { max: 30 } } : undefined,
      }),
    ),
  );
}

/** Does the work while watches search all terminals. Throws if they have found nothing. */
async function watched<T>({ api }: OurService, count: number, work: () => Promise<T>): Promise<T> {
  const ids: string[] = [];
  for (let each = 0; each < count; each++) {
    // Every hundredth text occurs in the floods; the other texts only begin like a text in the floods.
    const text = each % 100 === 0 ? `match-${each + 1}. in` : `match-${each} of`;
    ids.push((await api.post<Watch>('/api/watches', { text })).body.id);
  }
  const result = await work();
  const { body } = await api.get<{ watches: Watch[] }>('/api/watches');
  if (!body.watches.some(({ matches }) => matches > 0)) throw new Error('no watch has found anything');
  for (const id of ids) await api.delete(`/api/watches/${id}`);
  return result;
}
