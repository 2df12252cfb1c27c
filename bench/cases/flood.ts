import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { StreamClientCalls } from '../peers/stream-client.js';
import { TmuxServer } from '../peers/tmux-server.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import type { Cleanup } from '../support/cleanup.js';
import { coloured, type Flood, plain } from '../support/flood-input.js';
import { type Run, runOf, unwatched, watched } from '../support/flood-sides.js';
import { controlledTmux, TMUX_CONFIGURATION, unwatchedTmux } from '../support/flood-tmux.js';
import { vibetunnelled } from '../support/flood-vibetunnel.js';
import { startNaive } from '../support/naive-server.js';
import { startOurs } from '../support/our-service.js';
import { inTmux } from '../support/our-tmux.js';
import { Peer } from '../support/peer-calls.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';
import { startVibeTunnel } from '../support/vibetunnel.js';

/** Share of the text for VibeTunnel, which takes about as long for a tenth of the text as other servers for all. */
const VIBETUNNEL_SHARE = 0.1;

/** Measures one flooding terminal, without and with a client, compared with other servers of terminals. */
export async function flood(bench: Bench): Promise<Row[]> {
  const { cleanup, scale, peers, progress } = bench;
  const folder = tempFolder(cleanup);
  const service = await startOurs(cleanup, { env: { TMUX_TMPDIR: folder } });
  const ours = { ...service, isExact: true, backend: 'pty' as const };
  const ourTmux = await inTmux(service);
  const naive = { ...(await startNaive(cleanup)), isExact: false };
  const tmux = await cleanup.own(TmuxServer.start(TMUX_CONFIGURATION), (server) => server.stop());
  const client = Peer.start<StreamClientCalls>(cleanup, 'stream-client');
  const vibetunnel = peers.has('vibetunnel') ? await orReason(startVibeTunnel(cleanup)) : undefined;
  const rows: Row[] = [];
  for (const write of [plain, coloured]) {
    const input = write(folder, scale);
    const short = write(folder, scale * VIBETUNNEL_SHARE);
    progress.note(`${input.name}: warms up`);
    // Warms up with the whole text, since a tenth is too short to get all code compiled as in a long-running server.
    for (const server of [ours, ourTmux, naive]) await watched(server, input, client);
    await unwatched(ours, input);
    const sides = {
      bare: () => bareReader(input, cleanup),
      alone: () => unwatched(ours, input),
      watched: () => watched(ours, input, client),
      inTmux: () => watched(ourTmux, input, client),
      naive: () => watched(naive, input, client),
      tmux: () => unwatchedTmux(tmux, input),
      control: () => controlledTmux(tmux, input, client),
      vibetunnel: async () =>
        typeof vibetunnel === 'object' ? orReason(vibetunnelled(vibetunnel, short, client)) : vibetunnel,
    };
    const runs = await inRounds(bench, sides, input.name);
    rows.push(...rowsOf(input.name, runs), ...besideVibeTunnel(input.name, runs.watched, runs.vibetunnel));
  }
  return rows;
}

type Runs = Record<'bare' | 'alone' | 'watched' | 'inTmux' | 'naive' | 'tmux' | 'control', Run[]>;

function rowsOf(name: string, runs: Runs): Row[] {
  const { bare, alone, watched, inTmux, naive, tmux, control } = runs;
  const flooded = `flood ${name}`;
  const cuts = watched.reduce((sum, run) => sum + run.cuts, 0);
  const note = { note: `${cuts} runs repeated: the client fell behind and got a screen in place of output` };
  return [
    speed(`${flooded}, no client`, alone, 'bare node-pty reader', bare),
    {
      ...speed(`${flooded}, 1 client`, watched, 'bare node-pty reader', bare, 0.8),
      ...(cuts > 0 ? note : {}),
    },
    cpu(`${flooded}, no client: CPU`, alone, 'tmux', tmux, 0.7),
    cpu(`${flooded}, 1 client: CPU`, watched, 'tmux without a client', tmux, 1),
    speed(`${flooded}, 1 client, and naive`, watched, 'naive server', naive, 2),
    cpu(`${flooded}, 1 client, and naive: CPU`, watched, 'naive server', naive, 0.5),
    speed(`${flooded}, no client, and tmux`, alone, 'tmux', tmux),
    speed(`${flooded}, 1 client, and tmux`, watched, 'tmux in control mode', control, 4),
    speed(`${flooded}, 1 client, in tmux`, inTmux, 'a pty terminal', watched),
    cpu(`${flooded}, 1 client, in tmux: CPU`, inTmux, 'a pty terminal', watched),
    speed(`${flooded}, 1 client, in tmux, and tmux`, inTmux, 'tmux in control mode', control),
  ];
}

/**
 * Returns the row that compares with VibeTunnel: with a note in place of the peer if VibeTunnel could not run, no row
 * if it was not requested.
 */
function besideVibeTunnel(name: string, ours: Run[], theirs: Array<Run | string | undefined>): Row[] {
  const row = `flood ${name}, 1 client, and VibeTunnel`;
  const runs = theirs.filter((run) => typeof run === 'object');
  if (runs.length > 0) return [speed(row, ours, 'VibeTunnel, a tenth of the text', runs, 12)];
  const reason = theirs.find((run) => typeof run === 'string');
  const value = medianOf(ours, (run) => run.speed);
  const wanted = { target: { ratio: { min: 12 } } };
  return reason === undefined ? [] : [{ name: row, unit: 'MB/s', value, ...wanted, note: reason }];
}

/** Resolves with the result of a fetched peer, or with the reason why it does not run: the bench must not fail then. */
function orReason<T>(work: Promise<T>): Promise<T | string> {
  return work.catch((error: Error) => `VibeTunnel does not run here: ${error.message.split('\n')[0]}`);
}

function speed(name: string, ours: Run[], peer: string, theirs: Run[], min?: number): Row {
  const target = min === undefined ? {} : { target: { ratio: { min } } };
  return beside(name, 'MB/s', ours, peer, theirs, (run) => run.speed, target);
}

function cpu(name: string, ours: Run[], peer: string, theirs: Run[], max?: number): Row {
  const target = max === undefined ? {} : { target: { ratio: { max } } };
  return beside(name, 's/GB', ours, peer, theirs, (run) => run.cpuPerGb, target);
}

function beside(
  name: string,
  unit: string,
  ours: Run[],
  peer: string,
  theirs: Run[],
  figure: (run: Run) => number,
  more: Partial<Row>,
): Row {
  return {
    ...{ name, unit, value: medianOf(ours, figure) },
    peer: { name: peer, value: medianOf(theirs, figure) },
    cpu: { ours: medianOf(ours, (run) => run.cpu), peer: medianOf(theirs, (run) => run.cpu) },
    ...more,
  };
}

async function bareReader({ file, bytes }: Flood, cleanup: Cleanup): Promise<Run> {
  const peer = fileURLToPath(new URL('../peers/bare-reader.js', import.meta.url));
  const env = { ...process.env, EXPECTED_BYTES: String(bytes) };
  const stop = new AbortController();
  cleanup.defer(async () => stop.abort());
  const options = { env, signal: stop.signal };
  const { stdout } = await promisify(execFile)(process.execPath, [peer, 'cat', file], options);
  const result = JSON.parse(stdout) as { bytes: number; seconds: number; cpu: number };
  return runOf(result.bytes, result.seconds, result.cpu);
}
