import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../test/support/processes.js';
import type { StreamClientCalls } from '../peers/stream-client.js';
import type { TcpBroadcastCalls } from '../peers/tcp-broadcast.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { type Metered, meteredToRest } from '../support/cpu.js';
import { openStream, roomFor, type StreamClient, startProgram, streamEnd } from '../support/flood-sides.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { Peer } from '../support/peer-calls.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';

const CLIENTS = 50;
const MB_PER_SECOND = 5;
const SECONDS = 6;
/** Seconds that a run may outlast its program before a note reports it: some process then lacked CPU. */
const LATE_SECONDS = 1;

/** Measures many clients on one terminal, compared with writing the same frames to as many sockets. */
export async function fanout(bench: Bench): Promise<Row[]> {
  const { cleanup, scale } = bench;
  const seconds = SECONDS * scale;
  const service = await startOurs(cleanup);
  const client = Peer.start<StreamClientCalls>(cleanup, 'stream-client');
  const recording = join(tempFolder(cleanup), 'frames');
  const printed = await record(service, client, seconds, recording);
  const broadcast = Peer.start<TcpBroadcastCalls>(cleanup, 'tcp-broadcast');
  const port = await broadcast.call('listen', recording);

  const { ours, bare } = await inRounds(bench, {
    ours: async () => {
      await openStream(client, service.url, { count: CLIENTS, keep: 0 });
      const run = await meteredToRest(service.pids, () => print(service, client, seconds));
      await client.call('close');
      return run;
    },
    bare: async () => {
      await client.call('open', { port, request: '', ready: '', end: END, count: CLIENTS, keep: 0 });
      await eventually('all are connected', async () => (await broadcast.call('clients')) === CLIENTS);
      const run = await meteredToRest([broadcast.pid], async () => {
        await broadcast.call('play');
        await streamEnd(client);
        return client.call('received');
      });
      await client.call('close');
      await eventually('all are gone', async () => (await broadcast.call('clients')) === 0);
      return run;
    },
  });
  const perGb = ({ cpu }: Metered<number>) => cpu / ((printed * CLIENTS) / 1e9);
  return [
    {
      name: `${CLIENTS} clients on one terminal at ${MB_PER_SECOND} MB/s: CPU`,
      value: medianOf(ours, perGb),
      unit: 's/GB sent',
      peer: { name: 'TCP broadcast of the same frames', value: medianOf(bare, perGb) },
      cpu: { ours: medianOf(ours, ({ cpu }) => cpu), peer: medianOf(bare, ({ cpu }) => cpu) },
      target: { ratio: { max: 1.5 } },
      ...lateness([...ours, ...bare], seconds),
    },
    {
      name: `${CLIENTS} clients on one terminal: received by them`,
      value: medianOf(ours, ({ result }) => result / 1e6),
      unit: 'MB',
      peer: { name: 'TCP broadcast', value: medianOf(bare, ({ result }) => result / 1e6) },
      // Less would mean that clients were cut to snapshots, which makes the CPU figure meaningless.
      target: { ratio: { min: 0.98 } },
    },
  ];
}

const END = '"terminal.exited"';

/** Records a run with one client. Resolves with the bytes of output in it. */
async function record(service: OurService, client: StreamClient, seconds: number, path: string) {
  await openStream(client, service.url, { keep: roomFor(MB_PER_SECOND * 1e6 * seconds) });
  await print(service, client, seconds);
  const bytes = await client.call('record', path);
  await client.call('close');
  return bytes;
}

/** Prints in a terminal until all clients have received the program's exit. Resolves with the bytes that they got. */
async function print(service: OurService, client: StreamClient, seconds: number): Promise<number> {
  const program = fileURLToPath(new URL('../peers/paced-printer.js', import.meta.url));
  const command = [process.execPath, program, String(MB_PER_SECOND), String(seconds)];
  const id = await startProgram(service.api, command);
  await streamEnd(client);
  await service.api.delete(`/api/terminals/${id}`);
  return client.call('received');
}

/** Returns a note on runs that took long, if any: a delayed run uses another amount of CPU time. */
function lateness(runs: Array<Metered<number>>, seconds: number): Pick<Row, 'note'> {
  const late = runs.filter((run) => run.seconds > seconds + LATE_SECONDS).length;
  return late === 0 ? {} : { note: `${late} of ${runs.length} runs took over ${seconds + LATE_SECONDS} s` };
}
