// One end of a stream between two machines, in a process of its own: our own stream, or bare NATS with the same window.
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { FLEET_PART_BYTES, FLEET_STREAM_WINDOW_BYTES } from '../../src/contract/limits.js';
import { HUB_NAME } from '../../src/fleet/certificate.js';
import { Identity } from '../../src/fleet/identity.js';
import { AgreementKey } from '../../src/fleet/key-agreement.js';
import { nkeyOf } from '../../src/fleet/nkey.js';
import { FollowedStream } from '../../src/fleet/streams/followed-stream.js';
import { ServedStream } from '../../src/fleet/streams/served-stream.js';
import { streamKeys } from '../../src/fleet/streams/stream-cipher.js';
import { StreamWindow, WindowRoom } from '../../src/fleet/streams/stream-window.js';
import * as subjects from '../../src/fleet/subjects.js';
import { FleetLinkClient } from '../../src/workers/fleet-link/link-client.js';
import { FreeMemory } from '../../src/workers/free-memory.js';
import { answerCalls } from '../support/peer-calls.js';

/** Key of an end, the server that the end connects to, and the machine id of the other end. */
export interface FleetStreamEnd {
  seed: string;
  server: string;
  certificate: string;
  other: string;
}

/** Bytes after which the bare follower confirms. */
const CONFIRM_BYTES = FLEET_STREAM_WINDOW_BYTES / 4;
const STREAM = 'bench';

const memory = new FreeMemory();
const mine = new AgreementKey();
let link: FleetLinkClient | undefined;
let bare: NatsConnection | undefined;
let subject = '';
let bareSubject = '';
let onPacket: (data: Uint8Array) => void = () => undefined;
let onBare: (data: Uint8Array) => void = () => undefined;
let ended: Promise<void> = Promise.resolve();

const calls = {
  /** Connects by our link and by bare NATS. Resolves with this end's public key. */
  async open({ seed, server, certificate, other }: FleetStreamEnd): Promise<string> {
    const identity = new Identity(Buffer.from(seed, 'base64url'));
    const { machineId } = identity;
    const key = { seed: identity.seed, nkey: nkeyOf(identity.publicKey) };
    subject = subjects.stream(other, machineId, STREAM);
    bareSubject = subjects.answer(other, machineId, 'bare');
    await new Promise<void>((resolve) => {
      link = new FleetLinkClient({
        server: {
          servers: [{ host: server.replace(/:\d+$/, ''), port: Number(server.replace(/^.*:/, '')) }],
          isOurs: true,
          tls: { pem: certificate, name: HUB_NAME },
          login: { key },
        },
        ...{ name: machineId, isLasting: true },
        ...{ inbox: subjects.inbox(machineId), calls: [subjects.allRequests(machineId)] },
        bulk: [`at1.s.${machineId}.${other}.stream.>`],
        onState: (state) => state === 'connected' && resolve(),
        onMessage: ({ data }) => {
          onPacket(data);
          memory.freeAll(data);
        },
      });
    });
    bare = await connect({
      servers: server,
      inboxPrefix: subjects.inbox(machineId),
      tls: { ca: certificate, servername: HUB_NAME } as NonNullable<NodeConnectionOptions['tls']>,
      authenticator: (nonce?: string) => ({
        nkey: key.nkey,
        sig: identity.sign(Buffer.from(nonce ?? '')),
      }),
    });
    bare.subscribe(subjects.answer(machineId, other, 'bare'), {
      callback: (_error, message) => onBare(message.data),
    });
    await bare.flush();
    return mine.publicKey;
  },

  /** Begins to follow our stream. */
  follow(key: string, streamId: string, bytes: number): void {
    ended = new Promise((resolve, reject) => {
      let left = bytes;
      const followed = new FollowedStream({
        keys: streamKeys(mine, key, streamId)!,
        transmit: (packet) => link?.send(subject, packet),
        free: (part) => memory.freeAll(part),
        window: new StreamWindow(new WindowRoom()),
        isConnected: () => true,
        isGone: () => false,
        onOver: () => undefined,
        onEnd: (end) => reject(new Error(JSON.stringify(end))),
        onMessage: (_kind, message) => {
          left -= message.length;
          memory.free(message.buffer);
          if (left > 0) return;
          followed.close();
          resolve();
        },
      });
      onPacket = (data) => followed.onPacket(data);
    });
    ended.catch(() => undefined);
  },

  /** Sends `bytes` bytes over our stream. */
  serve(key: string, streamId: string, bytes: number): void {
    const served = new ServedStream({
      keys: streamKeys(mine, key, streamId)!,
      transmit: (packet) => link?.send(subject, packet),
      free: (part) => memory.freeAll(part),
      window: new StreamWindow(new WindowRoom()),
      refusal: () => undefined,
      onOver: () => undefined,
    });
    onPacket = (data) => served.onPacket(data);
    let left = bytes;
    let waiting = 0;
    const fill = () => {
      while (left > 0 && waiting < 2 * FLEET_STREAM_WINDOW_BYTES) {
        const message = Buffer.alloc(Math.min(left, FLEET_PART_BYTES - 1), 'terminal output ');
        left -= message.length;
        waiting += message.length;
        served.send(1, message, () => {
          waiting -= message.length;
          fill();
        });
      }
    };
    fill();
  },

  /** Begins to take `bytes` bytes over bare NATS. */
  take(bytes: number): void {
    ended = new Promise((resolve) => {
      let left = bytes;
      let taken = 0;
      onBare = ({ length }) => {
        left -= length;
        taken += length;
        if (taken >= CONFIRM_BYTES || left <= 0) {
          bare?.publish(bareSubject, String(taken));
          taken = 0;
        }
        if (left <= 0) resolve();
      };
    });
  },

  /** Sends `bytes` bytes over bare NATS. */
  publish(bytes: number): void {
    let left = bytes;
    let room = FLEET_STREAM_WINDOW_BYTES;
    const fill = () => {
      while (left > 0 && room > 0) {
        const message = Buffer.alloc(Math.min(left, FLEET_PART_BYTES), 'terminal output ');
        left -= message.length;
        room -= message.length;
        bare?.publish(bareSubject, message);
      }
    };
    onBare = (data) => {
      room += Number(Buffer.from(data).toString());
      fill();
    };
    fill();
  },

  /** Resolves once all bytes have come. */
  ended: (): Promise<void> => ended,
};
export type FleetStreamCalls = typeof calls;

answerCalls(calls);
