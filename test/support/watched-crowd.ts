import { expect } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { Watch } from '#dist/contract/watch.js';
import { EventStream } from './event-client.js';
import type { Api } from './http.js';
import { eventually } from './processes.js';

export interface CrowdSizes {
  watches: number;
  terminals: number;
  /** Number of the terminals that print without end, with the matching lines in the midst. */
  floods: number;
}

/** Returns the commands that print, for each number, two lines that match. */
const linesOf = (numbers: readonly number[]) =>
  numbers.map((n) => `echo "match-${n} is here"; echo "and match-${n} is here again";`).join(' ');

/**
 * Watches many terminals for many texts; one terminal prints each text, in two lines. Expects that each line is counted
 * once, in its watch and in its events.
 */
export async function watchCrowd(api: Api, { watches, terminals, floods }: CrowdSizes): Promise<void> {
  const stream = await EventStream.open(api.url, { query: 'types=watch.matched' });
  const ids: string[] = [];
  for (let each = 0; each < watches; each++) {
    const body = { text: `match-${each} is`, selector: 'role=crowd', debounceMs: each % 2 === 0 ? 0 : 200 };
    ids.push((await api.post<Watch>('/api/watches', body)).body.id);
  }
  const bodies = Array.from({ length: terminals }, (_, index) => {
    const numbers = ids.map((_id, each) => each).filter((each) => each % terminals === index);
    const flood = 'seq 1 20000; echo match-; echo "match-1";';
    const isFlood = index < floods;
    const script = isFlood
      ? `${flood} read x; ${flood} ${linesOf(numbers)} while :; do ${flood} done`
      : `read x; ${linesOf(numbers)} read y`;
    return { command: ['bash', '-c', script], labels: { role: 'crowd' } };
  });
  const created: string[] = [];
  for (let from = 0; from < bodies.length; from += 50) {
    const answer = await api.post<{ results: { terminal: Terminal }[] }>('/api/terminals/batch/create', {
      terminals: bodies.slice(from, from + 50),
    });
    created.push(...answer.body.results.map(({ terminal }) => terminal.id));
  }
  const typed = await api.post('/api/terminals/batch/input', { terminalIds: created, data: '\n' });
  expect(typed.status).toBe(200);
  const told = () => {
    const counts = new Map<string, number>();
    for (const { data } of stream.of('watch.matched')) {
      const { watchId, count } = data.data as { watchId: string; count: number };
      counts.set(watchId, (counts.get(watchId) ?? 0) + count);
    }
    return counts;
  };
  await stream.until(() => [...told().values()].reduce((sum, count) => sum + count, 0) >= 2 * watches);
  // The terminals continue to print; a line that counts twice would have done so by now.
  const { body } = await api.get<{ watches: Watch[] }>('/api/watches');
  const byId = new Map(body.watches.map((watch) => [watch.id, watch]));
  expect(ids.filter((id) => told().get(id) !== 2)).toEqual([]);
  expect(ids.filter((id) => byId.get(id)?.matches !== 2)).toEqual([]);
  const shown = (id: string | undefined) => created.indexOf(id ?? '');
  expect(ids.filter((id, each) => shown(byId.get(id)?.lastMatch?.terminalId) !== each % terminals)).toEqual(
    [],
  );
  expect(body.watches.filter(({ gaps, leftOut }) => gaps + leftOut > 0)).toEqual([]);
  await eventually('all terminals are closed', async () => {
    await Promise.all(created.map((id) => api.delete(`/api/terminals/${id}`)));
    return (await api.get<{ terminals: Terminal[] }>('/api/terminals')).body.terminals.length === 0;
  });
  await stream.cut();
}
