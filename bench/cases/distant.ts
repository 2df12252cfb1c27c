import { once } from 'node:events';
import { connect } from 'node:net';
import type { DelayedWireCalls } from '../peers/delayed-wire.js';
import type { Row } from '../report.js';
import { alternate } from '../support/alternate.js';
import type { Bench } from '../support/bench.js';
import { startFleetEnds } from '../support/fleet-ends.js';
import { executed, startFleetPair } from '../support/fleet-pair.js';
import { Peer } from '../support/peer-calls.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { median } from '../support/stats.js';

/** Round trip between the two machines, in milliseconds. */
const TRIP_MS = 50;
/** Warm-up commands, as many as in `routed`, and how many are sent at once. */
const WARM_UP = 1_000;
const AT_ONCE = 20;
const EXECUTIONS = 200;
const BYTES = 400_000_000;
const MB = 1e6;

/** Measures commands on another machine, and a stream from it, over a line with a round trip of 50 ms. */
export async function distant(bench: Bench): Promise<Row[]> {
  const wire = Peer.start<DelayedWireCalls>(bench.cleanup, 'delayed-wire');
  return [...(await executions(bench, wire)), ...(await stream(bench, wire))];
}

async function executions({ cleanup, progress, scale }: Bench, wire: Peer<DelayedWireCalls>): Promise<Row[]> {
  progress.note('commands, to warm up');
  // Only one of the two machines is far from the server: each message passes the line once.
  const wayTo = (port: number) => wire.call('open', port, TRIP_MS / 2);
  const { hub, other, terminalId } = await startFleetPair(cleanup, wayTo);
  const echo = connect(await wayTo(await wire.call('echo')), '127.0.0.1');
  cleanup.defer(async () => void echo.destroy());
  await once(echo, 'connect');
  echo.setNoDelay(true);
  const sides = {
    routed: () => executed(hub, { terminalId, machineId: other.id }),
    local: () => executed(other, { terminalId }),
    trip: async () => {
      const back = once(echo, 'data');
      echo.write('x');
      await back;
    },
  };
  for (let count = 0; count < WARM_UP * scale; count += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => (index % 2 ? sides.routed() : sides.local())),
    );
  progress.note('commands');
  const times = await alternate(sides, Math.ceil(EXECUTIONS * scale));
  const [routed, local, trip] = [times.routed, times.local, times.trip].map(median) as [
    number,
    number,
    number,
  ];
  return [
    {
      ...{ name: `execute over ${TRIP_MS} ms, routed less local: p50`, value: routed - local, unit: 'ms' },
      peer: { name: 'one round trip of the line', value: trip },
    },
    {
      name: `execute over ${TRIP_MS} ms, routed less local and one round trip: p50`,
      ...{ value: routed - local - trip, unit: 'ms', target: { value: { max: 5 } } },
    },
  ];
}

async function stream(bench: Bench, wire: Peer<DelayedWireCalls>): Promise<Row[]> {
  const { cleanup, scale, progress } = bench;
  progress.note('a stream');
  // Both ends are behind the line, and each message passes it twice.
  const { ours, bare } = await startFleetEnds(cleanup, (port) => wire.call('open', port, TRIP_MS / 4));
  const bytes = Math.round(BYTES * scale);
  const runs = await inRounds(bench, { ours: () => ours(bytes), bare: () => bare(bytes) });
  const speed = ({ seconds }: { seconds: number }) => bytes / MB / seconds;
  return [
    {
      ...{ name: `a stream over ${TRIP_MS} ms`, unit: 'MB/s', value: medianOf(runs.ours, speed) },
      peer: { name: 'bare NATS with a window of 1 MiB', value: medianOf(runs.bare, speed) },
      target: { value: { min: 18 } },
    },
  ];
}
