import { Client } from './client.js';
import { FleetAdmin } from './fleet-admin.js';
import { MachineTransport } from './machine-transport.js';
import { type FindOptions, serviceFinder } from './node/find.js';
import { HttpTransport } from './node/http-transport.js';
import type { ClientOptions } from './requests.js';
import type { Transport } from './transport.js';

export { RGB_COLOR, RUN_FLAGS } from '../contract/run-style.js';
export type { AttachEvent, Attachment, AttachOptions } from './attachment.js';
export * from './errors.js';
export type { EventsOptions, Reset, ServiceEvent } from './events.js';
export type { FleetAdmin } from './fleet-admin.js';
export type { Lease, Leases } from './lease.js';
export type { FindOptions } from './node/find.js';
export type { RunHandle, TerminalRun } from './run.js';
export type { ScreenFrame, Screens, ScreensOptions, ScreenView } from './screens.js';
export type { Selection } from './selection.js';
export type { Terminal } from './terminal.js';
export type { TiedLease } from './tied-lease.js';
export type * from './types.js';
export type { LiveOutput, WatchOptions } from './watch.js';
export { type Blame, inTheWay, principalName } from './who.js';

export interface ConnectOptions extends FindOptions, ClientOptions {
  /** Id or name of a machine of the fleet, whose terminals replace those of this machine, as far as it grants that. */
  machine?: string | undefined;
}

/** The service, for programs of Node. */
export class AutoTerminal extends Client {
  readonly fleetAdmin = new FleetAdmin(this);
  readonly #transport: Transport;
  readonly #options: ClientOptions;

  private constructor(transport: Transport, options: ClientOptions) {
    super(transport, options);
    this.#transport = transport;
    this.#options = options;
    if (transport instanceof MachineTransport) this.terminals.pageSize = undefined;
  }

  /**
   * Returns a client of another machine of the fleet, by its id or name, as far as that machine has granted it; `self`
   * is this machine. Nothing is sent. Both clients share their connections.
   */
  machine(machine: string): AutoTerminal {
    return new AutoTerminal(new MachineTransport(this.#transport, machine, true), this.#options);
  }

  /** Returns the service of this user, or the service that the options name. Nothing is sent before the first call. */
  static connect(options: ConnectOptions = {}): AutoTerminal {
    const { token = (options.env ?? process.env).AUTO_TERMINAL_TOKEN } = options;
    const own = new HttpTransport(serviceFinder(options));
    const { machine } = options;
    const transport = machine === undefined ? own : new MachineTransport(own, machine);
    return new AutoTerminal(transport, { ...options, token });
  }
}
