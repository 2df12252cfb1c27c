import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { createTerminals } from '../support/create-terminals.js';
import { cpuOfChildren, nodeProgram, ourCommand, type Ran } from '../support/our-command.js';
import { startOurs } from '../support/our-service.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { median } from '../support/stats.js';
import { tempFolder } from '../support/temp-folder.js';

/** Terminals that the command lists. */
const TERMINALS = 10;
const RUNS_OF_A_TURN = 20;

/** Figures of one turn. */
interface Turn {
  /** Milliseconds of processor time of one run. */
  cpu: number;
  /** Wall-clock milliseconds of one run, the median. */
  wall: number;
}

/** Measures the start of the command line by its shortest verb, compared with a Node that does nothing. */
export async function command(bench: Bench): Promise<Row[]> {
  const { cleanup, scale } = bench;
  const { home, url } = await startOurs(cleanup);
  const { ids } = await createTerminals(url, TERMINALS, () => ({ command: ['cat'] }));
  const output = join(tempFolder(cleanup), 'output');
  const runs = Math.max(2, Math.round(RUNS_OF_A_TURN * scale));
  const list = async () => {
    const ran = checked(await ourCommand(cleanup, home, ['ls', '-q'], output));
    const listed = readFileSync(output, 'utf8').trim().split('\n');
    if (listed.sort().join() !== ids.toSorted().join()) throw new Error(`ls -q printed ${listed.join(' ')}`);
    return ran;
  };
  const nothing = async () => checked(await nodeProgram(cleanup, ['-e', '0'], output));
  // The first run of each program reads its files from the disk, and must not count.
  for (const run of [list, nothing]) await run();
  const { ours, node } = await inRounds(bench, {
    ours: () => turn(list, runs),
    node: () => turn(nothing, runs),
  });
  const row = (what: string, figure: (turn: Turn) => number): Row => ({
    ...{ name: `auto-terminal ls -q: ${what}`, value: medianOf(ours, figure), unit: 'ms' },
    peer: { name: 'node -e 0', value: medianOf(node, figure) },
  });
  return [
    { ...row('processor time', ({ cpu }) => cpu), target: { ratio: { max: 2 } } },
    row('wall time', ({ wall }) => wall),
  ];
}

async function turn(run: () => Promise<Ran>, runs: number): Promise<Turn> {
  const { result, cpu } = await cpuOfChildren(async () => {
    const taken: number[] = [];
    for (let index = 0; index < runs; index++) taken.push((await run()).seconds);
    return taken;
  });
  return { cpu: (cpu / runs) * 1000, wall: median(result) * 1000 };
}

function checked(ran: Ran): Ran {
  if (ran.code !== 0 || ran.stderr !== '') throw new Error(`a command ended with ${ran.code}: ${ran.stderr}`);
  return ran;
}
