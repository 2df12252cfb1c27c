import type { BatchAnswer } from '../../src/contract/execute.js';
import { within } from '../../test/support/service.js';
import { openStream } from '../../test/support/stream.js';
import { TmuxControl } from '../peers/tmux-control.js';
import { TmuxServer } from '../peers/tmux-server.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import type { Cleanup } from '../support/cleanup.js';
import { metered } from '../support/cpu.js';
import { createTerminals } from '../support/create-terminals.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { requirePtys } from '../support/ptys.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { Sightings } from '../support/sightings.js';
import { median } from '../support/stats.js';
import { openWindows } from '../support/tmux-windows.js';

const TERMINALS = 1_000;
/** Program that prints each typed line once: the echo is off, and `cat` costs less than a shell's loop. */
const PROGRAM = 'stty -echo; echo ready; exec cat';
const BATCHES_OF_A_TURN = 5;
/** Warm-up batches, until the code is compiled. */
const WARM_UP = 10;
const DEADLINE_MS = 60_000;

/** Types `line` and Enter into all terminals. Resolves with the milliseconds until the last terminal has printed it. */
type Batch = (line: string) => Promise<number>;

/** Measures one line to 1,000 terminals, from the request to the last line that a client sees, compared with tmux. */
export async function batch(bench: Bench): Promise<Row[]> {
  const { cleanup, scale } = bench;
  const count = Math.round(TERMINALS * scale);
  requirePtys(2 * count);
  const service = await startOurs(cleanup);
  const server = await cleanup.own(TmuxServer.start(), (started) => started.stop());
  const control = await cleanup.own(TmuxControl.attach(server), (attached) => attached.detach());
  const [ours, tmux] = [await inOurs(service, cleanup, count), await inTmux(control, count)];
  let batches = 0;
  const turn = (pids: readonly number[], type: Batch, times: number) => () =>
    metered(pids, async () => {
      const taken: number[] = [];
      for (let index = 0; index < times; index++) {
        taken.push(await type(`done-${++batches}.`));
      }
      return median(taken);
    });
  await turn(service.pids, ours, WARM_UP)();
  await turn([server.pid], tmux, WARM_UP)();
  const results = await inRounds(bench, {
    ours: turn(service.pids, ours, BATCHES_OF_A_TURN),
    tmux: turn([server.pid], tmux, BATCHES_OF_A_TURN),
  });
  const [value, peer] = [results.ours, results.tmux].map((side) => medianOf(side, ({ result }) => result));
  const [cpu, peerCpu] = [results.ours, results.tmux].map((side) =>
    medianOf(side, (turn) => turn.cpu / BATCHES_OF_A_TURN),
  );
  return [
    {
      name: `batch execute to ${count} terminals, to the last line printed`,
      ...{ value: value!, unit: 'ms', peer: { name: 'tmux, send-keys of one control client', value: peer! } },
      cpu: { ours: cpu!, peer: peerCpu! },
      target: { ratio: { max: 1 } },
    },
  ];
}

async function inOurs({ url, api }: OurService, cleanup: Cleanup, count: number): Promise<Batch> {
  const seen = new Sightings();
  const stream = openStream(url, '', ({ type, terminalId, data }) => {
    if (type === 'output.data') seen.take(terminalId, data.content ?? '');
  });
  await cleanup.own(stream, (opened) => opened.close());
  const ready = seen.of('ready', count);
  const { ids } = await createTerminals(url, count, () => ({ command: ['sh', '-c', PROGRAM] }));
  await within(DEADLINE_MS, ready, () => 'not all terminals were ready');
  return async (line) => {
    const printed = timed(seen.of(line, count), `${line} was not printed everywhere`);
    const body = { terminalIds: ids, prompt: line, cliType: 'default', useBracketedPaste: false };
    const answered = api.post<BatchAnswer>('/api/terminals/batch/execute', body);
    const [taken, answer] = await Promise.all([printed, answered]);
    if (answer.body.summary?.succeeded !== count)
      throw new Error(`not all terminals took the batch: ${JSON.stringify(answer.body)}`);
    return taken;
  };
}

async function inTmux(control: TmuxControl, count: number): Promise<Batch> {
  const seen = new Sightings();
  control.onOutput = (pane, content) => seen.take(pane, content);
  const ready = seen.of('ready', count);
  const panes = await openWindows(
    control,
    Array.from({ length: count }, () => PROGRAM),
  );
  await within(DEADLINE_MS, ready, () => 'not all windows were ready');
  return async (line) => {
    const printed = timed(seen.of(line, count), `${line} was not printed everywhere`);
    const answered = control.run(panes.map((pane) => `send-keys -t ${pane} ${line} Enter`));
    const [taken] = await Promise.all([printed, answered]);
    return taken;
  };
}

/** Resolves with the milliseconds from now until the work is done. */
async function timed(work: Promise<void>, failure: string): Promise<number> {
  const begin = performance.now();
  await within(DEADLINE_MS, work, () => failure);
  return performance.now() - begin;
}
