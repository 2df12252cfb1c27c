import {
  AnyHello,
  commonProtocol,
  Hello,
  HOST_PROTOCOLS,
  type HostFeature,
  type Refused,
  type Welcome,
} from '../../../contract/host-greeting.js';
import { Frame } from '../../../contract/host-protocol.js';
import { VERSION } from '../../../contract/version.js';
import { parseJson } from './framing.js';
import type { Peer } from './peer.js';

export interface GreetingHost {
  /** Hello of the service that is connected: there is one at a time. */
  service: Hello | null;
  features: HostFeature[];
}

/** Answers a hello. Returns it if the client is welcome, and sets `peer.hello`; else ends the connection. */
export function greet(peer: Peer, payload: Buffer, { service, features }: GreetingHost): Hello | null {
  const json = parseJson(payload);
  const any = AnyHello.safeParse(json);
  const hello = Hello.safeParse(json);
  const protocol = any.success ? commonProtocol(HOST_PROTOCOLS, any.data) : null;
  if (any.success && protocol === null) refuse(peer, { reason: 'protocol' });
  else if (!hello.success || protocol === null) refuse(peer, { reason: 'invalid' });
  else if (hello.data.role === 'service' && service)
    refuse(peer, { reason: 'busy', instanceId: service.instanceId });
  else {
    peer.hello = hello.data;
    const tmuxFolder = process.env.TMUX_TMPDIR ?? '';
    const welcome: Welcome = { protocol, pid: process.pid, version: VERSION, features, tmuxFolder };
    peer.json(Frame.welcome, 0, welcome);
    return hello.data;
  }
  return null;
}

function refuse(
  peer: Peer,
  why: { reason: 'busy'; instanceId: string } | { reason: 'protocol' | 'invalid' },
): void {
  const { max } = HOST_PROTOCOLS;
  peer.json(Frame.refused, 0, { ...why, protocol: max, protocols: HOST_PROTOCOLS } satisfies Refused);
  peer.end();
}
