import { setTimeout as delay } from 'node:timers/promises';
import { openFiles } from '../../test/support/processes.js';
import { Tally } from '../churn/tally.js';
import { work } from '../churn/worker.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { memoryOf } from '../support/memory.js';
import { startOurs } from '../support/our-service.js';
import { type Sample, trendOf } from '../support/trend.js';

/** Workers, which act at the same time; each holds up to 8 shells. */
const WORKERS = 6;
const SAMPLE_MS = 3_000;
const TELL_MS = 15_000;
/** Time in which the service releases files after its start, and after the end of the last terminal. */
const REST_MS = 5_000;
const MB = 1e6;

/** Figures of the service and the pty host that must not grow. */
type Kind =
  | 'memory of the service'
  // What the store maps of its files grows with them, and the kernel takes it back when memory is short.
  | 'memory of the service without files'
  | 'memory of the pty host'
  | 'descriptors of the service'
  | 'descriptors of the pty host';

/**
 * Uses a service for some minutes with random actions of many clients: creates, runs, typed commands, clients that read
 * and stall, recordings, searches, resizes, deletes. Compares each answer with the expected answer, and samples memory
 * and descriptors. Runs once, whatever the number of rounds.
 */
export async function churn({ cleanup, progress, minutes, seed }: Bench): Promise<Row[]> {
  const service = await startOurs(cleanup);
  const [main, host] = service.pids as [number, number];
  const look = (): Record<Kind, number> => {
    const { pss, anonymous } = memoryOf([main]);
    return {
      'memory of the service': pss / MB,
      'memory of the service without files': anonymous / MB,
      'memory of the pty host': memoryOf([host]).pss / MB,
      'descriptors of the service': openFiles(main),
      'descriptors of the pty host': openFiles(host),
    };
  };
  const samples: Array<{ at: number; figures: Record<Kind, number> }> = [];
  const tally = new Tally((text) => progress.print(text));
  await delay(REST_MS);
  const before = look();
  const begin = performance.now();
  let isStopped = false;
  cleanup.defer(async () => {
    isStopped = true;
  });
  const seconds = () => (performance.now() - begin) / 1000;
  const isOver = () => isStopped || seconds() > minutes * 60;
  const numbers = Array.from({ length: WORKERS }, (_, index) => index);
  const working = Promise.all(
    numbers.map((number) =>
      work({ url: service.url, number, seed, tally, isOver, isStopped: () => isStopped }),
    ),
  );
  let toldAt = 0;
  while (!isOver()) {
    await delay(SAMPLE_MS);
    const figures = look();
    samples.push({ at: seconds(), figures });
    if (performance.now() - toldAt < TELL_MS) continue;
    toldAt = performance.now();
    progress.note(
      `${(seconds() / 60).toFixed(1)} of ${minutes} min: ${tally.operations} operations, ${tally.wrong} wrong answers, ` +
        `${tally.errors} errors, ${Math.round(figures['memory of the service'])} MB`,
    );
  }
  await working;
  const took = seconds();
  await delay(REST_MS);
  const after = look();
  const series = (kind: Kind): Sample[] => samples.map(({ at, figures }) => ({ at, value: figures[kind] }));
  const isNone = { target: { value: { max: 0 } }, isRequired: true };
  const name = `churn for ${minutes} min`;
  return [
    {
      name: `${name}: operations`,
      value: tally.operations / took,
      unit: '/s',
      note: `longest in brackets: ${tally.spell()}`,
    },
    { name: `${name}: wrong answers`, value: tally.wrong, unit: `of ${tally.operations}`, ...isNone },
    { name: `${name}: errors`, value: tally.errors, unit: `of ${tally.operations}`, ...isNone },
    ...(Object.keys(before) as Kind[]).flatMap((kind): Row[] => {
      const { first, second, perHour } = trendOf(series(kind));
      const unit = kind.startsWith('memory') ? 'MB' : '';
      return [
        {
          name: `${name}: ${kind}, second half`,
          value: second,
          unit,
          peer: { name: 'the first half', value: first },
        },
        { name: `${name}: ${kind}, slope in the second half`, value: perHour, unit: `${unit}/h` },
        {
          ...{ name: `${name}: ${kind}, once all terminals are closed`, value: after[kind], unit },
          peer: { name: 'before the first', value: before[kind] },
        },
      ];
    }),
  ];
}
