import { FetchTransport } from './browser/fetch-transport.js';
import { AutoTerminal } from './browser.js';
import { MachineTransport } from './machine-transport.js';
import type { ClientOptions } from './requests.js';

export { FleetAdmin } from './fleet-admin.js';

/**
 * Returns a client of another machine of the fleet, for pages, as far as that machine has granted it. Nothing is sent.
 * A file of its own, since most pages need one machine only.
 *
 * @param url - origin of this machine's service
 * @param machine - id or name of the other machine
 */
export function machineAt(url: string, machine: string, options: ClientOptions = {}): AutoTerminal {
  const client = new AutoTerminal(new MachineTransport(new FetchTransport(url), machine), options);
  client.terminals.pageSize = undefined;
  return client;
}
