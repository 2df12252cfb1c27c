import { FLEET_MESSAGE_BYTES, FLEET_PING_MS, FLEET_PINGS_OUT } from '../contract/limits.js';
import { nkeyOf } from './nkey.js';
import * as subjects from './subjects.js';

export interface HubConfigFacts {
  fleetId: string;
  host: string;
  port: number;
  /** Files that nats-server reads and writes. */
  files: { certificate: string; key: string; pid: string; log: string };
  /** The hub's own machine, with the key of its service's second connection. */
  hub: { machineId: string; publicKey: string; systemKey: string };
  machines: readonly { machineId: string; publicKey: string }[];
  /** Invitations that may still be used, by the keys of their guests. */
  guests: readonly { id: string; publicKey: string }[];
}

/**
 * Returns the configuration of nats-server. Every user has a key of its own and may publish under its own name only. No
 * user is anonymous: two accounts are named, and nothing names a default, also not by `authorization`, which admits
 * anonymous clients beside a system account up to 2.9.22. Nor is there `allow_responses`: a machine that names any subject
 * as the inbox of a request to itself could then publish there.
 */
export function hubConfig({ fleetId, host, port, files, hub, machines, guests }: HubConfigFacts): string {
  const users = [
    userOf(hub.publicKey, subjects.hubPermissions(hub.machineId)),
    ...machines.map(({ machineId, publicKey }) => userOf(publicKey, subjects.memberPermissions(machineId))),
    ...guests.map(({ id, publicKey }) => userOf(publicKey, subjects.guestPermissions(id))),
  ];
  return `# Written by auto-terminal, which overwrites it.
server_name: ${quoted(`at_${fleetId}`)}
host: ${quoted(host)}
port: ${port}
pid_file: ${quoted(files.pid)}
log_file: ${quoted(files.log)}
logfile_size_limit: 1048576
max_payload: ${FLEET_MESSAGE_BYTES}
max_pending: 33554432
write_deadline: "5s"
ping_interval: "${FLEET_PING_MS / 1_000}s"
ping_max: ${FLEET_PINGS_OUT}
max_connections: 8192
system_account: SYS
tls {
  cert_file: ${quoted(files.certificate)}
  key_file: ${quoted(files.key)}
  timeout: 5
}
accounts {
  FLEET {
    users: [
${users.map((user) => `      ${user}\n`).join('')}    ]
  }
  SYS {
    users: [
      { nkey: ${nkeyOf(hub.systemKey)} }
    ]
  }
}
`;
}

function userOf(publicKey: string, { publish, subscribe }: subjects.Permissions): string {
  const list = (each: readonly string[]) => `[${each.map(quoted).join(', ')}]`;
  return (
    `{ nkey: ${nkeyOf(publicKey)}, permissions: { publish: { allow: ${list(publish)} }, ` +
    `subscribe: { allow: ${list(subscribe)} } } }`
  );
}

/** Returns a text quoted for the configuration, whose syntax has those JSON escapes that paths and names need. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
