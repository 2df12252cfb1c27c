import { join } from 'node:path';

/** Files of the fleet, in a folder that only the user can enter. */
export interface FleetFiles {
  folder: string;
  /** Private key of this machine. */
  identity: string;
  /** State of the fleet on this machine: machines, invitations, grants. */
  state: string;
  /** At a hub: its certificate with key, and the files that nats-server reads and writes. */
  certificate: string;
  key: string;
  config: string;
  pid: string;
  log: string;
  output: string;
  /** The process of nats-server. */
  started: string;
}

export function fleetFiles(folder: string): FleetFiles {
  const file = (name: string) => join(folder, name);
  return {
    folder,
    identity: file('machine-key'),
    state: file('fleet.json'),
    certificate: file('hub-certificate.pem'),
    key: file('hub-key.pem'),
    config: file('hub.conf'),
    pid: file('hub.pid'),
    log: file('hub.log'),
    output: file('hub-output.log'),
    started: file('hub-process.json'),
  };
}
