import type { AnyHello, ProtocolRange } from '../../../contract/host-greeting.js';

/** No process serves the socket, or none answers there. */
export class HostUnreachable extends Error {
  override readonly name = 'HostUnreachable';
}

/** The host serves another service. */
export class HostBusy extends Error {
  override readonly name = 'HostBusy';
  readonly instanceId: string;

  constructor(instanceId: string) {
    super(`the pty host serves another service (instance ${instanceId})`);
    this.instanceId = instanceId;
  }
}

/** The protocol versions that a host names: the newest, and its range if it knows ranges. */
type Versions = Pick<AnyHello, 'protocol' | 'protocols'>;

/** The host speaks no version of the protocol that this release speaks; its terminals are left alone. */
export class HostProtocolMismatch extends Error {
  override readonly name = 'HostProtocolMismatch';
  readonly theirs: Versions;

  constructor(theirs: Versions, ours: ProtocolRange) {
    const { min, max } = theirs.protocols ?? { min: theirs.protocol, max: theirs.protocol };
    const isOlder = max < ours.min;
    super(
      `the terminals are held by ${isOlder ? 'an older' : 'a newer'} release, whose pty host speaks protocol ` +
        `${versions({ min, max })}, while this release speaks ${versions(ours)}. ` +
        `Start that release again to reach them, or close them all with its \`auto-terminal stop\`.`,
    );
    this.theirs = theirs;
  }
}

function versions({ min, max }: ProtocolRange): string {
  return min === max ? String(min) : `${min} to ${max}`;
}
