import { FetchTransport } from './browser/fetch-transport.js';
import { AutoTerminal } from './browser.js';
import { MachineTransport } from './machine-transport.js';
import type { ClientOptions } from './requests.js';

export { FleetAdmin } from './fleet-admin.js';

/**
 * Returns another machine of the fleet, for pages, with all that it lets this one do. Nothing is sent. In a file apart from
 * the client, since most pages are of one machine.
 *
 * @param url - origin of this machine's service
 * @param machine - id or name of the other machine
 */
export function machineAt(url: string, machine: string, options: ClientOptions = {}): AutoTerminal {
  return new AutoTerminal(new MachineTransport(new FetchTransport(url), machine), options);
}
