import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { connected, type FleetMachine, online, startMachine } from './fleet.js';
import { factsOf } from './fleet-wire.js';

/** Starts a machine's service anew, on another port by which it reaches its hub; resolves once it is there. */
export async function restartAt(
  port: number,
  hub: FleetMachine,
  machine: FleetMachine,
): Promise<FleetMachine> {
  const { home } = machine.service;
  await machine.service.kill('SIGKILL');
  const file = join(home, 'data/fleet/fleet.json');
  const facts = JSON.parse(await readFile(file, 'utf8')) as { hub: { port: number } };
  facts.hub.port = port;
  await writeFile(file, JSON.stringify(facts));
  const again = { ...(await startMachine(home)), id: machine.id };
  await connected(again);
  await online(hub, again.id);
  return again;
}

/** A way to the hub's server that can be cut, and that counts the bytes to the machine behind it. */
export class FleetRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  /** Bytes from the hub's server to the machine, and the other way. */
  readonly bytes = { toMachine: 0, toHub: 0 };

  private constructor(port: number) {
    this.#server = createServer((machine) => {
      if (this.#isCut) {
        machine.destroy();
        return;
      }
      const hub = connect(port, '127.0.0.1');
      for (const socket of [machine, hub]) {
        this.#sockets.add(socket);
        socket
          .on('error', () => undefined)
          .on('close', () => {
            this.#sockets.delete(socket);
            machine.destroy();
            hub.destroy();
          });
      }
      machine.on('data', ({ length }) => {
        this.bytes.toHub += length;
      });
      hub.on('data', ({ length }) => {
        this.bytes.toMachine += length;
      });
      machine.pipe(hub).pipe(machine);
    });
  }

  /** Puts a relay between a hub and a machine of its fleet, whose service begins anew. */
  static async between(hub: FleetMachine, machine: FleetMachine): Promise<[FleetRelay, FleetMachine]> {
    const relay = new FleetRelay((await factsOf(hub)).hub.port);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return [relay, await restartAt((relay.#server.address() as AddressInfo).port, hub, machine)];
  }

  /** Breaks all connections; with `isLasting`, further ones too, until {@link heal}. */
  cut(isLasting = false): void {
    this.#isCut = isLasting;
    for (const socket of this.#sockets) socket.destroy();
  }

  heal(): void {
    this.#isCut = false;
  }

  close(): void {
    this.cut(true);
    this.#server.close();
  }
}
