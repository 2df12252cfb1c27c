import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { connected, type FleetMachine, online, startMachine } from './fleet.js';
import { factsOf } from './fleet-wire.js';

/** Restarts a machine's service so that it reaches its hub at another port; resolves once the machine is online. */
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
  // A service that was killed right after the pairing may not have stored the hub yet, and learns of it again.
  await online(again, hub.id);
  return again;
}

/** A relay to the hub's server that can be cut or fall silent, and that counts the bytes in both directions. */
export class FleetRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Connections, each with both of its sockets. */
  readonly #joined = new Set<readonly [Socket, Socket]>();
  /** Connections that machines have opened while the relay is silent. */
  #held: Socket[] = [];
  /** Connections to the hub whose machine has left. */
  readonly #left = new WeakSet<Socket>();
  #isCut = false;
  #isSilent = false;
  /** Bytes from the hub's server to the machine, and from the machine to the server. */
  readonly bytes = { toMachine: 0, toHub: 0 };
  readonly #port: number;

  private constructor(port: number) {
    this.#port = port;
    this.#server = createServer((machine) => {
      this.#watch(machine);
      if (this.#isCut) machine.destroy();
      else if (this.#isSilent) this.#held.push(machine.pause());
      else this.#join(machine);
    });
  }

  /** Puts a relay between a hub and a machine of its fleet, and restarts the machine's service. */
  static async between(hub: FleetMachine, machine: FleetMachine): Promise<[FleetRelay, FleetMachine]> {
    const relay = new FleetRelay((await factsOf(hub)).hub.port);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return [relay, await restartAt((relay.#server.address() as AddressInfo).port, hub, machine)];
  }

  /** Closes all connections; with `isLasting`, new connections too, until {@link heal}. */
  cut(isLasting = false): void {
    this.#isCut = isLasting;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Relays nothing until {@link heal}, neither bytes nor the end of a connection. */
  silence(): void {
    this.#isSilent = true;
    for (const [machine, hub] of this.#joined) {
      machine.unpipe(hub).pause();
      hub.unpipe(machine).pause();
    }
  }

  /**
   * Ends all connections for the machine alone, as a change of its network does; it connects again. The hub's server
   * notices the end once the returned function is called.
   */
  leave(): () => void {
    const left = [...this.#joined];
    this.#joined.clear();
    for (const [machine, hub] of left) {
      this.#left.add(hub);
      machine.unpipe(hub);
      hub.unpipe(machine).resume();
      machine.destroy();
    }
    return () => {
      for (const [, hub] of left) hub.destroy();
    };
  }

  heal(): void {
    this.#isCut = false;
    this.#isSilent = false;
    for (const [machine, hub] of this.#joined) {
      if (machine.destroyed || hub.destroyed) this.#part(machine, hub);
      else machine.pipe(hub).pipe(machine);
    }
    for (const machine of this.#held.splice(0)) if (!machine.destroyed) this.#join(machine);
  }

  close(): void {
    this.cut(true);
    this.#server.close();
  }

  #watch(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
  }

  #join(machine: Socket): void {
    const hub = connect(this.#port, '127.0.0.1');
    this.#watch(hub);
    this.#joined.add([machine, hub]);
    for (const socket of [machine, hub])
      socket.on('close', () => {
        if (!this.#isSilent && !this.#left.has(hub)) this.#part(machine, hub);
      });
    machine.on('data', ({ length }) => {
      this.bytes.toHub += length;
    });
    hub.on('data', ({ length }) => {
      this.bytes.toMachine += length;
    });
    machine.pipe(hub).pipe(machine);
  }

  #part(machine: Socket, hub: Socket): void {
    machine.destroy();
    hub.destroy();
    for (const each of this.#joined) if (each[0] === machine) this.#joined.delete(each);
  }
}
