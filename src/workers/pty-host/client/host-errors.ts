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

/** The host speaks another version of the protocol; its terminals are left alone. */
export class HostProtocolMismatch extends Error {
  override readonly name = 'HostProtocolMismatch';
  readonly theirs: number;

  constructor(theirs: number, ours: number) {
    super(`the running pty host speaks protocol ${theirs}, this version speaks ${ours}`);
    this.theirs = theirs;
  }
}
