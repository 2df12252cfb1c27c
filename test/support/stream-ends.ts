import { type FollowEnd, FollowedStream } from '../../src/fleet/streams/followed-stream.js';
import { ServedStream } from '../../src/fleet/streams/served-stream.js';
import { StreamWindow, WindowRoom } from '../../src/fleet/streams/stream-window.js';
import type { StreamEnd } from '../../src/fleet/streams/stream-wire.js';
import { FreeMemory } from '../../src/workers/free-memory.js';

const memory = new FreeMemory();

/** The parts of a stream that a test controls. */
export interface Ends {
  isLost?: () => boolean;
  refusal?: () => StreamEnd | undefined;
  isGone?: () => boolean;
  /** Room to grow that the windows of all streams of the pair share; by default this stream has the room to itself. */
  rooms?: { owner: WindowRoom; follower: WindowRoom };
}

/** Opens a stream between two ends, over a wire that the test controls. */
export function streamBetween(
  keys: { owner: Buffer; follower: Buffer },
  {
    isLost = () => false,
    refusal = () => undefined,
    isGone = () => false,
    rooms = { owner: new WindowRoom(), follower: new WindowRoom() },
  }: Ends = {},
) {
  const wire: { toFollower: Uint8Array[]; toOwner: Uint8Array[] } = { toFollower: [], toOwner: [] };
  const messages: { kind: number; text: string }[] = [];
  const told: unknown[] = [];
  const ends: FollowEnd[] = [];
  const wishes: unknown[] = [];
  let isClosed = false;
  let bytesUnderWay = 0;
  let most = 0;
  const served = new ServedStream({
    keys,
    transmit: (packet) => {
      bytesUnderWay += packet.length;
      most = Math.max(most, bytesUnderWay);
      if (!isLost()) wire.toFollower.push(packet);
    },
    refusal,
    window: new StreamWindow(rooms.owner),
    free: (bytes) => memory.freeAll(bytes),
    onOver: () => undefined,
  });
  served.source = {
    onWish: (wish) => wishes.push(wish),
    close: () => {
      isClosed = true;
    },
  };
  const followed = new FollowedStream({
    keys,
    transmit: (packet) => void (isLost() || wire.toOwner.push(packet)),
    isConnected: () => true,
    isGone,
    window: new StreamWindow(rooms.follower),
    free: (bytes) => memory.freeAll(bytes),
    onOver: () => undefined,
    onMessage: (kind, bytes) => messages.push({ kind, text: Buffer.from(bytes).toString('latin1') }),
    onTold: (each) => told.push(each),
    onEnd: (end) => ends.push(end),
  });
  /** Delivers all packets that are under way. */
  const carry = () => {
    for (const packet of wire.toOwner.splice(0)) served.onPacket(packet);
    for (const packet of wire.toFollower.splice(0)) followed.onPacket(packet);
    bytesUnderWay = 0;
  };
  return {
    ...{ served, followed, wire, carry, messages, told, ends, wishes },
    isClosed: () => isClosed,
    most: () => most,
  };
}
