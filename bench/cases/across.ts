import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { makeCertificate } from '../../src/fleet/certificate.js';
import { hubConfig } from '../../src/fleet/hub-config.js';
import { Identity } from '../../src/fleet/identity.js';
import { findNatsServer } from '../../src/fleet/nats-program.js';
import { freePort } from '../../test/support/free-port.js';
import { eventually } from '../../test/support/processes.js';
import type { FleetStreamCalls } from '../peers/fleet-stream.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { metered } from '../support/cpu.js';
import { Peer } from '../support/peer-calls.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';

const BYTES = 400_000_000;
const WARM_UP_BYTES = 50_000_000;
const MB = 1e6;

/** Measures one stream between two machines over the loopback with TLS, compared with a bare NATS stream. */
export async function across(bench: Bench): Promise<Row[]> {
  const { cleanup, scale, progress } = bench;
  const bytes = Math.round(BYTES * scale);
  const folder = tempFolder(cleanup);
  const [follower, owner] = [new Identity(randomBytes(32)), new Identity(randomBytes(32))];
  const { server, certificate } = await serverFor(bench, folder, follower, owner);
  const ends = [follower, owner].map(() => Peer.start<FleetStreamCalls>(cleanup, 'fleet-stream'));
  const [here, there] = ends as [Peer<FleetStreamCalls>, Peer<FleetStreamCalls>];
  const open = (end: Peer<FleetStreamCalls>, me: Identity, other: Identity) =>
    end.call('open', {
      ...{ seed: Buffer.from(me.seed).toString('base64url'), other: other.machineId },
      ...{ server, certificate },
    });
  const [ownerKey, followerKey] = await Promise.all([
    open(there, owner, follower),
    open(here, follower, owner),
  ]);
  const pids = [here.pid, there.pid];
  let streams = 0;
  const ours = (size: number) => async () => {
    const id = `stream ${++streams}`;
    return metered(pids, async () => {
      await there.call('serve', followerKey, id, size);
      await here.call('follow', ownerKey, id, size);
      await here.call('ended');
    });
  };
  const bare = (size: number) => async () => {
    await here.call('take', size);
    return metered(pids, async () => {
      await there.call('publish', size);
      await here.call('ended');
    });
  };
  progress.note('warms up');
  await ours(WARM_UP_BYTES)();
  await bare(WARM_UP_BYTES)();
  const runs = await inRounds(bench, { ours: ours(bytes), bare: bare(bytes) });
  const speed = ({ seconds }: { seconds: number }) => bytes / MB / seconds;
  return [
    {
      ...{ name: 'a stream between two machines', unit: 'MB/s', value: medianOf(runs.ours, speed) },
      peer: { name: 'bare NATS with the same window', value: medianOf(runs.bare, speed) },
      cpu: { ours: medianOf(runs.ours, ({ cpu }) => cpu), peer: medianOf(runs.bare, ({ cpu }) => cpu) },
      target: { ratio: { min: 0.7 }, value: { min: 60 } },
    },
  ];
}

/** Starts a server that admits both machines; resolves once it listens. */
async function serverFor({ cleanup }: Bench, folder: string, hub: Identity, member: Identity) {
  const file = (name: string) => join(folder, name);
  const files = {
    ...{ certificate: file('certificate.pem'), key: file('key.pem') },
    ...{ pid: file('pid'), log: file('log') },
  };
  const certificate = await makeCertificate(files);
  const port = await freePort();
  const config = hubConfig({
    ...{ fleetId: 'bench', host: '127.0.0.1', port, files, guests: [] },
    hub: { ...publicOf(hub), systemKey: hub.derive('system').publicKey },
    machines: [publicOf(member)],
  });
  await writeFile(file('config'), config);
  const program = await findNatsServer(undefined, process.env);
  const child = spawn(program, ['-c', file('config')], { stdio: 'ignore' });
  cleanup.defer(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  await eventually('nats-server listens', async () => {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    return isOpen;
  });
  return { server: `127.0.0.1:${port}`, certificate };
}

function publicOf({ machineId, publicKey }: Identity) {
  return { machineId, publicKey };
}
