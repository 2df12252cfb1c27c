import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { CallsIn, type CallsInOptions } from '../../src/fleet/calls-in.js';
import { CallsOut, type CallsOutOptions } from '../../src/fleet/calls-out.js';
import { Channel, channelOf } from '../../src/fleet/channel.js';
import { Identity } from '../../src/fleet/identity.js';
import { AgreementKey } from '../../src/fleet/key-agreement.js';
import type { FleetLink, FleetMessage } from '../../src/fleet/link.js';
import { seal, unchecked } from '../../src/fleet/signed.js';
import type { FleetRequest } from '../../src/fleet/wire.js';

function agreed(): { sender: Channel; receiver: Channel } {
  const [offering, accepting] = [new AgreementKey(), new AgreementKey()];
  return {
    sender: Channel.ofSender(offering, accepting.publicKey)!,
    receiver: Channel.ofReceiver(accepting, offering.publicKey)!,
  };
}

describe('a channel', () => {
  it('takes what the other side has sealed for the same purpose, and nothing that was changed', () => {
    const { sender, receiver } = agreed();
    const content = { text: 'ä' };
    const packet = sender.seal('call', content);
    expect(receiver.unseal(packet, 'call')).toEqual(content);
    expect(sender.unseal(receiver.seal('answer', content), 'answer')).toEqual(content);
    expect(receiver.unseal(packet, 'answer')).toBeUndefined();
    for (let at = 0; at < packet.length; at++) {
      const changed = Uint8Array.from(packet);
      changed[at]! ^= 1;
      expect(receiver.unseal(changed, 'call')).toBeUndefined();
    }
  });

  it('takes nothing of its own side, of another channel, and nothing signed', () => {
    const { sender, receiver } = agreed();
    const packet = sender.seal('call', {});
    expect(sender.unseal(packet, 'call')).toBeUndefined();
    expect(agreed().receiver.unseal(packet, 'call')).toBeUndefined();
    expect(receiver.unseal(seal(new Identity(randomBytes(32)), 'call', {}), 'call')).toBeUndefined();
  });

  it('is not made with a text that is no public key', () => {
    for (const text of ['', 'x', 'A'.repeat(43), randomBytes(31).toString('base64url')]) {
      expect(Channel.ofSender(new AgreementKey(), text)).toBeUndefined();
      expect(Channel.ofReceiver(new AgreementKey(), text)).toBeUndefined();
    }
  });
});

const [asking, owner] = [1, 2].map(() => new Identity(randomBytes(32))) as [Identity, Identity];
const REQUEST: FleetRequest = { method: 'GET', url: '/api/terminals' };

/** Packets of requests, and the packets that reply to them, in order. */
let requests: Uint8Array[] = [];
let said: Uint8Array[] = [];
/** Changes a reply before it arrives. */
let onTheWay = (packet: Uint8Array) => packet;
let answering: CallsIn;
let calls: CallsOut;
let epoch: string;
let served: number;

function receiver(start: string): CallsIn {
  const calling = new CallsIn({
    identity: () => owner,
    epoch: start,
    peerOf: () => ({ machineId: asking.machineId, publicKey: asking.publicKey }),
    grants: () => [
      {
        ...{ id: 'grant_1', to: asking.machineId, can: ['observe'], terminals: '*', until: null },
        ...{ ask: 'never', createdAt: 1, key: asking.publicKey, publicKey: asking.publicKey },
      },
    ],
    labelsOf: () => ({}),
    runOf: () => ({ machineId: undefined, terminalIds: [] }),
    run: async () => {
      served++;
      return { status: 200, headers: {}, body: Buffer.from('{"terminals":[]}') };
    },
    onRefused: () => undefined,
    consents: { ask: async () => undefined },
    counts: { served: 0, refused: 0, receivedBytes: 0, sentBytes: 0 },
    onFault: (error: unknown) => {
      throw error;
    },
  } as unknown as CallsInOptions);
  const say = (subject: string, parts: readonly Uint8Array[]) => {
    const [head, ...body] = parts;
    const packet = onTheWay(head!);
    said.push(packet);
    if (packet.length === 0) return;
    const id = subject.split('.').at(-1)!;
    for (const part of [packet, ...body]) calls.onAnswer(owner.machineId, id, part);
  };
  calling.link = {
    publish: (subject: string, parts: readonly Uint8Array[], isBulk = false) => {
      if (isBulk) say(subject, parts);
    },
    answer: async (subject: string, parts: readonly Uint8Array[]) => say(subject, parts),
  } as unknown as FleetLink;
  return calling;
}

function deliver(data: Uint8Array): void {
  answering.onCall({ from: asking.machineId, data, replyTo: undefined } as unknown as FleetMessage);
}

async function ask(): Promise<number> {
  return (await calls.call(owner.machineId, REQUEST, new AbortController().signal)).status;
}

beforeEach(() => {
  [requests, said, served] = [[], [], 0];
  [epoch, onTheWay] = ['first', (packet) => packet];
  answering = receiver(epoch);
  calls = new CallsOut({
    identity: () => asking,
    directory: {
      get: () => ({
        ...{ machineId: owner.machineId, publicKey: owner.publicKey, online: true, lastSeenAt: null, epoch },
        protocols: { min: 1, max: 1 },
      }),
    },
    counts: { routed: 0, sentBytes: 0, receivedBytes: 0 },
  } as unknown as CallsOutOptions);
  calls.link = {
    request: async (_subject: string, data: Uint8Array) => {
      requests.push(data);
      deliver(data);
      return { kind: 'lost' };
    },
    publish: () => undefined,
  } as unknown as FleetLink;
});

const isSigned = (packets: readonly Uint8Array[]) => packets.map((packet) => channelOf(packet) === undefined);

describe('requests to another machine', () => {
  it('are signed until their answer agrees on a channel, and go on that afterwards', async () => {
    for (let count = 0; count < 3; count++) expect(await ask()).toBe(200);
    expect(isSigned(requests)).toEqual([true, false, false]);
    expect(isSigned(said)).toEqual([true, false, false]);
    expect(served).toBe(3);
    expect(unchecked(requests[1]!)).not.toHaveProperty('offer');
  });

  it('stay signed to a machine that accepts no channel', async () => {
    onTheWay = (packet) => {
      const { accept: _, ...head } = unchecked(packet) as { accept?: string };
      return seal(owner, 'answer', head);
    };
    for (let count = 0; count < 2; count++) expect(await ask()).toBe(200);
    expect(isSigned(requests)).toEqual([true, true]);
  });

  it('stay signed if a text that is no key is accepted', async () => {
    onTheWay = (packet) => seal(owner, 'answer', { ...(unchecked(packet) as object), accept: 'no key' });
    for (let count = 0; count < 2; count++) expect(await ask()).toBe(200);
    expect(isSigned(requests)).toEqual([true, true]);
  });

  it('are signed anew, under the same id, for a machine that has begun anew', async () => {
    for (let count = 0; count < 2; count++) await ask();
    // The directory does not know the machine's new epoch yet.
    answering = receiver('second');
    expect(await ask()).toBe(200);
    expect(isSigned(requests)).toEqual([true, false, false, true]);
    const [onChannel, signed] = requests.slice(2).map((packet) => unchecked(packet) as { id: string });
    expect(signed!.id).toBe(onChannel!.id);
    expect(served).toBe(3);
    epoch = 'second';
    for (let count = 0; count < 2; count++) expect(await ask()).toBe(200);
    expect(isSigned(requests.slice(4))).toEqual([false, false]);
  });

  it('are signed anew once the link was lost', async () => {
    for (let count = 0; count < 2; count++) await ask();
    calls.lost(owner.machineId);
    for (let count = 0; count < 2; count++) expect(await ask()).toBe(200);
    expect(isSigned(requests)).toEqual([true, false, true, false]);
  });

  it('are answered on the channel that they came by, though their sender has offered another one meanwhile', async () => {
    await ask();
    const other = new AgreementKey();
    const id = randomBytes(16).toString('base64url');
    const place = { from: asking.machineId, to: owner.machineId, epoch, at: Date.now() };
    deliver(seal(asking, 'call', { id, ...place, ...REQUEST, offer: other.publicKey }));
    await expect.poll(() => said.length).toBe(2);
    // The old channel is no longer known, so this request is signed.
    expect(await ask()).toBe(200);
    expect(isSigned(requests)).toEqual([true, false, true]);
  });
});

describe('a machine', () => {
  it('takes a request on a channel once, and says nothing to what is not of the channel', async () => {
    for (let count = 0; count < 2; count++) await ask();
    const [, onChannel] = requests;
    const before = said.length;
    const changed = Buffer.from(onChannel!).toString().replace('/api/terminals', '/api/settings');
    deliver(Buffer.from(changed));
    expect(said.length).toBe(before);
    deliver(onChannel!);
    expect(unchecked(said.at(-1)!)).toMatchObject({ taken: false, why: 'refused' });
    expect(served).toBe(2);
  });

  it('has the sender of an unknown channel sign, but says nothing of a request that it has taken', async () => {
    for (let count = 0; count < 2; count++) await ask();
    const [, onChannel] = requests;
    const elsewhere = agreed().sender;
    const before = said.length;
    deliver(elsewhere.seal('call', unchecked(onChannel!) as object));
    expect(said.length).toBe(before);
    const id = randomBytes(16).toString('base64url');
    deliver(elsewhere.seal('call', { ...(unchecked(onChannel!) as object), id }));
    expect(isSigned(said.slice(before))).toEqual([true]);
    expect(unchecked(said.at(-1)!)).toMatchObject({ taken: false, id, why: 'epoch', epoch });
    for (const nonsense of ['mac.x.y\n{}', `mac.${'a'.repeat(16)}.${'b'.repeat(43)}\n{}`])
      deliver(Buffer.from(nonsense));
    expect(said.length).toBe(before + 1);
    expect(served).toBe(2);
  });
});
