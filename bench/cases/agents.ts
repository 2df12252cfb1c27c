import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../test/support/processes.js';
import type { StreamClientCalls } from '../peers/stream-client.js';
import type { TmuxAttachCalls } from '../peers/tmux-attach.js';
import type { Row } from '../report.js';
import { type AgentSide, oursOfAgents, tmuxOfAgents, type Watch } from '../support/agent-sides.js';
import type { Bench } from '../support/bench.js';
import { metered } from '../support/cpu.js';
import { grownBy, type Memory, memoryOf, settledMemory } from '../support/memory.js';
import { Peer } from '../support/peer-calls.js';
import { requirePtys } from '../support/ptys.js';
import { Redraws, redrawOn } from '../support/redraw.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';

/** Pause after the programs start, or a client connects, since that work must not count. */
const SETTLE_MS = 2_000;
/**
 * Further time before the first measurement of the processor time: these programs run for hours, and the service puts
 * unused screens to sleep after 10 s.
 */
const AT_WORK_MS = 12_000;
const MEASURE_MS = 6_000;
/**
 * Time before both readings of the memory, since programs of this kind run for hours: the service puts unused screens
 * to sleep after 10 s, and returns the memory of busy times 13 s later. With less time, one reading in three counted
 * 30 MB of the start as memory from before.
 */
const STEADY_MS = 24_000;
const DRAWN_DEADLINE_MS = 60_000;
/** Terminals created and closed before the first memory is read, so that one-time memory is not counted. */
const WARM_UP = 4;
const KB = 1024;

interface Measured {
  /**
   * CPU in % of a core, scaled to the requested redraw rate: on a busy machine the programs of the slower side redraw
   * less often, which must not count in that side's favour.
   */
  percent: number;
  /** Redraws a second of one program, on average. */
  rate: number;
}

/** Figures of one side in one round. */
interface Turn extends Record<Watch, Measured> {
  /** Redraws that a screen lacked at the end: deferred work that is not counted. NaN if there was no screen. */
  behind: number;
}

/** Measures many programs that redraw some rows all the time, without and with a client, compared with tmux. */
export async function agents(bench: Bench): Promise<Row[]> {
  const { cleanup, scale, progress } = bench;
  const { perSecond } = bench.agents;
  const count = Math.max(1, Math.round(bench.agents.count * scale));
  // One side's terminals may still be closing while the other side's terminals are created.
  requirePtys(2 * count);
  const client = Peer.start<StreamClientCalls>(cleanup, 'stream-client');
  const person = Peer.start<TmuxAttachCalls>(cleanup, 'tmux-attach');
  const sides = {
    ours: await oursOfAgents(cleanup, client),
    tmux: await tmuxOfAgents(cleanup, client, person),
  };
  const fill = { count, perSecond, folder: tempFolder(cleanup) };
  progress.note('memory');
  const memory = { ours: await memoryFor(sides.ours, fill), tmux: await memoryFor(sides.tmux, fill) };
  const { ours, tmux } = await inRounds(bench, {
    ours: () => turn(sides.ours, fill),
    tmux: () => turn(sides.tmux, fill),
  });
  const name = `${count} programs that redraw six rows ${perSecond} times a second`;
  const [behind, peerBehind] = [ours, tmux].map((turns) => medianOf(turns, (turn) => turn.behind));
  const late =
    behind === 0 && peerBehind === 0 ? '' : `; screens were ${behind} and ${peerBehind} redraws late`;
  const cpu = (watch: Watch, watched: string, peer: string, more: Partial<Row> = {}): Row => {
    const figure = (turns: Turn[]) => medianOf(turns, (turn) => turn[watch].percent);
    const [rate, peerRate] = [ours, tmux].map((turns) =>
      medianOf(turns, (turn) => turn[watch].rate).toFixed(1),
    );
    return {
      ...{ name: `${name}, ${watched}: CPU`, value: figure(ours), unit: '% of a core' },
      peer: { name: peer, value: figure(tmux) },
      note: `in fact ${rate} and ${peerRate} times a second${late}`,
      ...more,
    };
  };
  const each = (what: string, bytes: (memory: Memory) => number): Row => ({
    name: `${name}: memory for each, ${what}`,
    value: bytes(memory.ours) / count / KB,
    unit: 'KB',
    peer: { name: 'tmux', value: bytes(memory.tmux) / count / KB },
  });
  return [
    cpu('none', 'no client', 'tmux', { target: { ratio: { max: 0.7 } } }),
    cpu('one', '1 client that sees one', 'tmux with an attached client'),
    cpu('all', '1 client that gets all', 'tmux with a client in control mode'),
    { ...each('PSS', ({ pss }) => pss), target: { value: { max: 250 } } },
    each('RSS', ({ rss }) => rss),
  ];
}

interface Fill {
  count: number;
  perSecond: number;
  /** Folder for the programs' files. */
  folder: string;
}

/** Creates the terminals. Resolves once all programs have drawn, and some time has passed. */
async function filled(side: AgentSide, { count, perSecond, folder }: Fill) {
  const redraws = new Redraws(folder, perSecond);
  const ids = await side.create(count, redraws.command);
  const haveDrawn = () => redraws.read().size === count;
  await eventually(`${count} programs have drawn`, haveDrawn, DRAWN_DEADLINE_MS);
  await delay(SETTLE_MS);
  return { ids, redraws };
}

/** Resolves with the memory that a server's first terminals add; also warms the server up. */
async function memoryFor(side: AgentSide, fill: Fill): Promise<Memory> {
  const { ids: some } = await filled(side, { ...fill, count: Math.min(WARM_UP, fill.count) });
  const isShown = async () => redrawOn(await side.screen(some[0]!)) !== undefined;
  await eventually('a redraw shows on the screen', isShown, DRAWN_DEADLINE_MS);
  await side.close(some);
  const before = await settledMemory(side.pids, { atLeastMs: STEADY_MS });
  const { ids } = await filled(side, fill);
  await delay(STEADY_MS);
  const after = memoryOf(side.pids);
  await side.close(ids);
  return grownBy(before, after);
}

async function turn(side: AgentSide, fill: Fill): Promise<Turn> {
  const { ids, redraws } = await filled(side, fill);
  await delay(AT_WORK_MS);
  const measured = async (): Promise<Measured> => {
    const before = redraws.read();
    const { cpu, seconds } = await metered(side.pids, () => delay(MEASURE_MS));
    const rate = redraws.rateSince(before);
    return { rate, percent: ((cpu / seconds) * 100 * fill.perSecond) / rate };
  };
  const watched = async (what: 'one' | 'all') => {
    const client = await side.watch(what, ids[0]!);
    await delay(SETTLE_MS);
    const before = await client.received();
    const result = await measured();
    if ((await client.received()) === before)
      throw new Error('the watching client received no output during the measurement');
    await client.close();
    return result;
  };
  const result = { none: await measured(), one: await watched('one'), all: await watched('all') };
  const behind = await redrawsBehind(side, ids[0]!, redraws);
  await side.close(ids);
  return { ...result, behind };
}

async function redrawsBehind(side: AgentSide, id: string, redraws: Redraws): Promise<number> {
  const reports = redraws.read();
  const shown = redrawOn(await side.screen(id));
  const drawn = shown && reports.get(shown.name);
  return drawn ? Math.max(0, drawn.count - shown.count) : Number.NaN;
}
