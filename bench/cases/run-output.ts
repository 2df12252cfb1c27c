import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { StreamClientCalls } from '../peers/stream-client.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { meteredToRest } from '../support/cpu.js';
import { type Flood, plain } from '../support/flood-input.js';
import { type Run, runOf, watched } from '../support/flood-sides.js';
import { cpuOfChildren, ourCommand } from '../support/our-command.js';
import { startOurs } from '../support/our-service.js';
import { Peer } from '../support/peer-calls.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';

/** Share of the text of a flood: 60 MB. */
const SHARE = 0.545;
const CODE = 7;

/** Measures a program whose output `auto-terminal run` writes to a file, compared with a client of the WebSocket. */
export async function runOutput(bench: Bench): Promise<Row[]> {
  const { cleanup, scale, progress } = bench;
  const folder = tempFolder(cleanup);
  const service = await startOurs(cleanup);
  const server = { ...service, isExact: true };
  const client = Peer.start<StreamClientCalls>(cleanup, 'stream-client');
  const input = plain(folder, scale * SHARE);
  const sides = {
    file: () => intoFile(bench, service, input, join(folder, 'output')),
    socket: () => watched(server, input, client),
  };
  progress.note('warms up');
  for (const side of Object.values(sides)) await side();
  const { file, socket } = await inRounds(bench, sides);
  const megabytes = Math.round(statSync(input.file).size / 1e6);
  const row = (what: string, unit: string, figure: (run: Run) => number): Row => ({
    ...{ name: `run, ${megabytes} MB into a file${what}`, value: medianOf(file, figure), unit },
    peer: { name: '1 client of the WebSocket', value: medianOf(socket, figure) },
    cpu: { ours: medianOf(file, ({ cpu }) => cpu), peer: medianOf(socket, ({ cpu }) => cpu) },
  });
  return [
    { ...row('', 'MB/s', ({ speed }) => speed), target: { ratio: { min: 0.7 } } },
    row(': CPU, with the command', 's/GB', ({ cpuPerGb }) => cpuPerGb),
  ];
}

/** Runs the command once. Rejects if a byte or the exit code is wrong. */
async function intoFile(
  { cleanup }: Bench,
  { home, pids }: { home: string; pids: readonly number[] },
  { file }: Flood,
  output: string,
): Promise<Run> {
  const program = ['sh', '-c', `cat "$1"; exit ${CODE}`, 'sh', file];
  const { result, cpu } = await cpuOfChildren(() =>
    meteredToRest(pids, () => ourCommand(cleanup, home, ['run', '--', ...program], output)),
  );
  const { code, stderr, seconds } = result.result;
  if (code !== CODE || stderr !== '') throw new Error(`run ended with ${code}, not ${CODE}: ${stderr}`);
  const [expected, printed] = [readFileSync(file), readFileSync(output)];
  if (!printed.equals(expected))
    throw new Error(
      `run wrote ${printed.length} bytes that differ from the ${expected.length} expected bytes`,
    );
  return runOf(expected.length, seconds, result.cpu + cpu);
}
