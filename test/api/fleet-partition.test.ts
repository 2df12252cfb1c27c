import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { grant, online } from '../support/fleet.js';
import { useFleetOfTwo } from '../support/fleet-of-two.js';
import { countsIn, settledAt } from '../support/fleet-settled.js';
import { LiveWatch } from '../support/live-watch.js';
import { eventually } from '../support/processes.js';

/** Number of partitions, and the longest in milliseconds; a manual run sets more and longer partitions. */
const PARTITIONS = Number(process.env.AUTO_TERMINAL_FLEET_PARTITIONS ?? 1);
const LONGEST_MS = Number(process.env.AUTO_TERMINAL_FLEET_PARTITION_MS ?? 6_000);

const [STREAMS, SHELLS, RUNS_EACH, TYPISTS, LINES_EACH] = [5, 5, 4, 3, 10];
const AFTER_MS = 90_000;

/** Prints numbered lines continuously from its first line of input until its second. */
const PRINTER = [
  ...[process.execPath, '-e'],
  `let n = 0;
  process.stdin.once('data', () => {
    const printing = setInterval(() => {
      let text = '';
      for (let i = 0; i < 10; i++) text += 'line ' + n++ + ' ' + 'x'.repeat(n % 50) + '\\n';
      process.stdout.write(text);
    }, 20);
    process.stdin.once('data', () => {
      clearInterval(printing);
      process.stdout.write('printed ' + n + ' lines\\n', () => process.stdin.destroy());
    });
  });`,
];
const ENDED = /printed (\d+) lines\r\n/;

const fleet = useFleetOfTwo();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-partition-'));
  await grant(fleet.laptop, fleet.hub, { can: ['execute'] });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

interface Execution {
  runId: string;
  exitCode: number | null;
  done: boolean;
}

/** Sends a request to the hub until its outcome is known. */
const settled = <Body extends object>(path: string, body: object, key?: string): Promise<Body> =>
  settledAt<Body>(fleet.hub, fleet.laptop.id, { path, body, key });

/** Runs numbered commands in a shell of the laptop, one after the other, and checks each result. */
async function runAll(shell: string, name: string, file: string): Promise<void> {
  for (const n of numbers(RUNS_EACH)) {
    const command = `sleep 0.2; echo ${name} ${n} >> ${file}; (exit ${n})`;
    const body = { terminalId: shell, machineId: fleet.laptop.id, command };
    // For every other run, the service chooses the key.
    const key = n % 2 === 0 ? `${name} ${n}` : undefined;
    const { runId, exitCode } = await settled<Execution>('/api/fleet/execute', body, key);
    expect(exitCode).toBe(n);
    const path = `/api/machines/${fleet.laptop.id}/runs/${runId}`;
    const results = await eventually(
      'the result',
      async () => {
        const answer = await fleet.hub.api.get<{ results: object[] }>(path);
        return answer.status === 200 && answer.body.results;
      },
      AFTER_MS,
    );
    expect(results).toMatchObject([{ done: true, exitCode: n }]);
  }
}

async function typeAll(terminal: string, name: string): Promise<void> {
  const path = `/api/machines/${fleet.laptop.id}/terminals/${terminal}/input`;
  for (const n of numbers(LINES_EACH)) await settled(path, { data: `${name} ${n}\r` });
}

/** Watches a terminal at its owner and from the hub. The terminal prints once both watch, so neither misses output. */
async function watched(id: string): Promise<{ id: string; here: LiveWatch; far: LiveWatch }> {
  const [here, far] = await Promise.all(
    [fleet.laptop.service.url, fleet.there].map((url) => LiveWatch.open(url, `terminals=${id}&seq=1`)),
  );
  await fleet.laptop.api.post(`/api/terminals/${id}/input`, { data: 'begin\r' });
  return { id, here: here!, far: far! };
}

/** Checks that every line came from the first to the last or, after a screen, from some line to the last. */
function expectWhole({ here, far }: { here: LiveWatch; far: LiveWatch }): void {
  expect(far.seq).toBe(here.seq);
  if (far.screens === 0 && here.screens === 0) {
    expect(far.text === here.text).toBe(true);
    return;
  }
  const count = Number(ENDED.exec(far.text)?.[1]);
  const seen = [...far.text.matchAll(/line (\d+) /g)].map(([, n]) => Number(n));
  expect(seen).toEqual(numbers(seen.length).map((n) => count - seen.length + n));
}

test(
  `${PARTITIONS} silent partitions under streams, runs and typists: nothing is lost or comes twice`,
  async () => {
    for (const round of numbers(PARTITIONS)) {
      const [ran, typed] = ['ran', 'typed'].map((name) => join(folder, `${name} ${round}`)) as [
        string,
        string,
      ];
      const streams = await Promise.all(
        numbers(STREAMS).map(async () => watched(await fleet.terminal(PRINTER))),
      );
      const shells = await Promise.all(numbers(SHELLS).map(() => fleet.terminal(['bash'])));
      const readers = await Promise.all(
        numbers(TYPISTS).map((n) => fleet.terminal(['sh', '-c', `stty -echo; cat >> '${typed} ${n}'`])),
      );
      const work = Promise.all([
        ...shells.map((shell, n) => runAll(shell, `round ${round} shell ${n}`, `'${ran}'`)),
        ...readers.map((reader, n) => typeAll(reader, `typist ${n}`)),
      ]);
      // A failure is reported after the partition, where `work` is awaited.
      work.catch(() => undefined);
      await delay(Math.random() * 2_000);
      fleet.relay.silence();
      await delay(LONGEST_MS * (0.5 + Math.random() / 2));
      fleet.relay.heal();
      await work;
      await online(fleet.hub, fleet.laptop.id, true, AFTER_MS);
      for (const { id, here, far } of streams) {
        await fleet.laptop.api.post(`/api/terminals/${id}/input`, { data: 'end\r' });
        await here.until('the end here', () => ENDED.test(here.text), AFTER_MS);
        await far.until('the end there', () => ENDED.test(far.text), AFTER_MS);
        expectWhole({ here, far });
      }
      expect(await countsIn(ran)).toEqual(
        Object.fromEntries(
          numbers(SHELLS).flatMap((shell) =>
            numbers(RUNS_EACH).map((n) => [`round ${round} shell ${shell} ${n}`, 1]),
          ),
        ),
      );
      for (const n of numbers(TYPISTS)) {
        const wanted = Object.fromEntries(numbers(LINES_EACH).map((line) => [`typist ${n} ${line}`, 1]));
        const file = `${typed} ${n}`;
        await eventually(
          'the last line',
          async () => (await countsIn(file))[`typist ${n} ${LINES_EACH - 1}`],
        );
        expect(await countsIn(file)).toEqual(wanted);
      }
      await Promise.all(streams.flatMap(({ here, far }) => [here.close(), far.close()]));
      for (const id of [...streams.map((each) => each.id), ...shells, ...readers])
        await fleet.laptop.api.delete(`/api/terminals/${id}`);
    }
  },
  PARTITIONS * (LONGEST_MS + 300_000),
);
