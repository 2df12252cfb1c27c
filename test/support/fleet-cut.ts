import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { connected, type FleetMachine, online, startMachine } from './fleet.js';
import { factsOf } from './fleet-wire.js';

/** A connection between a machine and its hub that can be cut. */
export interface Wire {
  /** Closes all connections, and refuses new ones until {@link Wire.mend}. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/**
 * Starts a relay for a machine's connections to the hub; resolves with the machine, restarted so that it uses the
 * relay.
 */
export async function throughWire(
  hub: FleetMachine,
  machine: FleetMachine,
): Promise<{ machine: FleetMachine; wire: Wire }> {
  const { port } = (await factsOf(hub)).hub;
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    const ends = isCut ? [client] : [client, connect(port, '127.0.0.1')];
    for (const socket of ends) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          for (const other of ends) other.destroy();
        });
    }
    const [, there] = ends;
    if (there) client.pipe(there).pipe(client);
    else client.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { home } = machine.service;
  await machine.service.kill('SIGKILL');
  const file = join(home, 'data/fleet/fleet.json');
  const facts = JSON.parse(await readFile(file, 'utf8')) as { hub: object };
  const hubFacts = { ...facts.hub, port: (server.address() as AddressInfo).port };
  await writeFile(file, JSON.stringify({ ...facts, hub: hubFacts }));
  const started = { ...(await startMachine(home)), id: machine.id };
  await connected(started);
  await online(hub, machine.id);
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    machine: started,
    wire: {
      cut: () => {
        isCut = true;
        breakAll();
      },
      mend: () => {
        isCut = false;
      },
      close: async () => {
        server.close();
        breakAll();
        await once(server, 'close');
      },
    },
  };
}

/** Resolves with the process id of the hub's nats-server, from the hub's own file. */
export async function serverOf({ service }: Pick<FleetMachine, 'service'>): Promise<number> {
  const text = await readFile(join(service.home, 'data/fleet/hub-process.json'), 'utf8');
  return (JSON.parse(text) as { pid: number }).pid;
}
