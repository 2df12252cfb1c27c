import { MAX_CLIENT_QUEUE_BYTES } from '../../src/contract/limits.js';
import { residentBytes } from '../../test/support/processes.js';
import type { StreamClientCalls } from '../peers/stream-client.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { type Flood, plain } from '../support/flood-input.js';
import { openStream, type Run, type StreamClient, watched } from '../support/flood-sides.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { Peer } from '../support/peer-calls.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';

/** How many times slower the slow client reads than the flood runs. */
const SLOWER = 10;
const SAMPLE_MS = 20;
/** Memory that the slow client may cost: its queue, and the same amount for garbage that is not collected yet. */
const BOUND_BYTES = 2 * MAX_CLIENT_QUEUE_BYTES;
const MB = 1e6;

/** Measures how a slow client affects a fast one, and the service's memory. */
export async function slow(bench: Bench): Promise<Row[]> {
  const { cleanup, scale } = bench;
  // A small young generation: at the default size it varies by tens of MB, which would hide the client's cost.
  const service = await startOurs(cleanup, { flags: ['--max-semi-space-size=2'] });
  const ours = { ...service, isExact: true };
  const fast = Peer.start<StreamClientCalls>(cleanup, 'stream-client');
  const sluggard = Peer.start<StreamClientCalls>(cleanup, 'stream-client');
  const input = plain(tempFolder(cleanup), scale);
  const { speed } = await watched(ours, input, fast);
  const flood = () => sampled(service, () => watched(ours, input, fast));

  const { alone, beside } = await inRounds(bench, {
    alone: flood,
    beside: async () => {
      await openStream(sluggard, service.url, { keep: 0, bytesPerSecond: (speed * MB) / SLOWER });
      const result = await flood();
      await checkSlowness(sluggard, input);
      await sluggard.call('close');
      return result;
    },
  });
  const peak = ({ peakBytes }: Sampled) => peakBytes;
  return [
    {
      name: `flood plain beside a client ${SLOWER} times too slow`,
      value: medianOf(beside, ({ run }) => run.speed),
      unit: 'MB/s',
      peer: { name: 'without that client', value: medianOf(alone, ({ run }) => run.speed) },
      cpu: { ours: medianOf(beside, ({ run }) => run.cpu), peer: medianOf(alone, ({ run }) => run.cpu) },
      target: { ratio: { min: 0.95 } },
    },
    {
      name: `service memory for a client ${SLOWER} times too slow`,
      value: (medianOf(beside, peak) - medianOf(alone, peak)) / MB,
      unit: 'MB',
      target: { value: { max: BOUND_BYTES / MB } },
      note: 'peak resident in the flood with the client, less without',
    },
  ];
}

interface Sampled {
  run: Run;
  /** Peak resident memory of the service meanwhile. */
  peakBytes: number;
}

async function sampled({ pid }: OurService, work: () => Promise<Run>): Promise<Sampled> {
  let peakBytes = residentBytes(pid);
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, residentBytes(pid));
  }, SAMPLE_MS);
  try {
    return { run: await work(), peakBytes };
  } finally {
    clearInterval(timer);
  }
}

/** Throws if the client has received over half of the flood: it was not slow, and the rows would mean nothing. */
async function checkSlowness(client: StreamClient, { bytes }: Flood): Promise<void> {
  const received = await client.call('received');
  if (received > bytes / 2) throw new Error(`the slow client has received ${received} of ${bytes} bytes`);
}
