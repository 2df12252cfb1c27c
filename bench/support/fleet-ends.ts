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
import type { Cleanup } from './cleanup.js';
import { type Metered, metered } from './cpu.js';
import { Peer } from './peer-calls.js';
import { tempFolder } from './temp-folder.js';

/** Two ends of streams, each a process of its own, with a nats-server between them. */
export interface FleetEnds {
  /** Sends `bytes` bytes over our stream, or over bare NATS with the same window. Resolves once they have arrived. */
  ours(bytes: number): Promise<Metered<void>>;
  bare(bytes: number): Promise<Metered<void>>;
}

/**
 * Starts the ends of two machines and their server. Resolves once the ends are connected.
 *
 * @param wayTo - returns the port by which an end reaches the server's port
 */
export async function startFleetEnds(
  cleanup: Cleanup,
  wayTo: (port: number) => Promise<number> = async (port) => port,
): Promise<FleetEnds> {
  const [follower, owner] = [new Identity(randomBytes(32)), new Identity(randomBytes(32))];
  const { port, certificate } = await serverFor(cleanup, follower, owner);
  const ends = [follower, owner].map(() => Peer.start<FleetStreamCalls>(cleanup, 'fleet-stream'));
  const [here, there] = ends as [Peer<FleetStreamCalls>, Peer<FleetStreamCalls>];
  const open = async (end: Peer<FleetStreamCalls>, me: Identity, other: Identity) =>
    end.call('open', {
      ...{ seed: Buffer.from(me.seed).toString('base64url'), other: other.machineId },
      ...{ server: `127.0.0.1:${await wayTo(port)}`, certificate },
    });
  const [ownerKey, followerKey] = await Promise.all([
    open(there, owner, follower),
    open(here, follower, owner),
  ]);
  const pids = [here.pid, there.pid];
  let streams = 0;
  return {
    ours: (bytes) => {
      const id = `stream ${++streams}`;
      return metered(pids, async () => {
        await there.call('serve', followerKey, id, bytes);
        await here.call('follow', ownerKey, id, bytes);
        await here.call('ended');
      });
    },
    bare: async (bytes) => {
      await here.call('take', bytes);
      return metered(pids, async () => {
        await there.call('publish', bytes);
        await here.call('ended');
      });
    },
  };
}

/** Starts a server that admits both machines; resolves once it listens. */
async function serverFor(cleanup: Cleanup, hub: Identity, member: Identity) {
  const folder = tempFolder(cleanup);
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
  return { port, certificate };
}

function publicOf({ machineId, publicKey }: Identity) {
  return { machineId, publicKey };
}
