import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { FLEET_CONFIRM_MS } from '../../src/contract/limits.js';
import { CallsIn, type CallsInOptions } from '../../src/fleet/calls-in.js';
import { Identity } from '../../src/fleet/identity.js';
import type { FleetLink, FleetMessage } from '../../src/fleet/link.js';
import { seal, unchecked } from '../../src/fleet/signed.js';

const [owner, peer] = [1, 2].map(() => new Identity(randomBytes(32))) as [Identity, Identity];

/** Contents that were sent as replies, and as answers; an empty reply is ''. */
let replies: unknown[] = [];
let answers: unknown[] = [];
/** Lets the hub report that it has the answers. */
let taken = () => {};

/** Takes a request that ends at once; with `isSlow`, its answers pass the link only once {@link taken} is called. */
function ask({ isSlow, ...more }: { isSlow: boolean; known?: string; brief?: true }): void {
  const calls = new CallsIn({
    identity: () => owner,
    epoch: 'e',
    peerOf: () => ({ machineId: peer.machineId, publicKey: peer.publicKey }),
    grants: () => [
      {
        ...{ id: 'grant_1', to: peer.machineId, can: ['observe'], terminals: '*', until: null },
        ...{ ask: 'never', createdAt: 1, key: peer.publicKey, publicKey: peer.publicKey },
      },
    ],
    labelsOf: () => ({}),
    runOf: () => ({ machineId: undefined, terminalIds: [] }),
    run: async () => ({ status: 200, headers: {}, body: Buffer.from('{"terminals":[]}') }),
    onRefused: (_id: string, _call: object, error: Error) => {
      throw error;
    },
    consents: { ask: async () => undefined },
    counts: { served: 0, refused: 0, receivedBytes: 0, sentBytes: 0 },
    onFault: (error: unknown) => {
      throw error;
    },
  } as unknown as CallsInOptions);
  calls.link = {
    publish: (_subject: string, [data]: readonly Uint8Array[], isBulk = false) => {
      (isBulk ? answers : replies).push(data!.length === 0 ? '' : unchecked(data!));
    },
    answer: async (_subject: string, [head]: readonly Uint8Array[]) => {
      answers.push(unchecked(head!));
      if (isSlow) await new Promise<void>((resolve) => (taken = resolve));
    },
  } as unknown as FleetLink;
  const id = randomBytes(16).toString('base64url');
  const place = { from: peer.machineId, to: owner.machineId, epoch: 'e', at: Date.now() };
  const data = seal(peer, 'call', { id, ...place, method: 'GET', url: '/api/terminals', ...more });
  calls.onCall({ from: peer.machineId, data, replyTo: 'reply' } as unknown as FleetMessage);
}

beforeEach(() => {
  [replies, answers] = [[], []];
});

describe('a request that is taken', () => {
  it('is confirmed by its answer alone if the hub has that soon', async () => {
    ask({ isSlow: false });
    await expect.poll(() => replies.length).toBe(1);
    await delay(2 * FLEET_CONFIRM_MS);
    expect(replies).toEqual(['']);
    expect(answers).toMatchObject([{ status: 200 }]);
  });

  it('gets no reply besides its answer where an earlier answer is known', async () => {
    ask({ isSlow: false, known: 'another' });
    await expect.poll(() => answers.length).toBe(1);
    await delay(2 * FLEET_CONFIRM_MS);
    expect([replies, answers]).toMatchObject([[], [{ status: 200 }]]);
  });

  it('gets its answer in one message, and no other, where the sender takes that', async () => {
    ask({ isSlow: false, brief: true });
    await expect.poll(() => answers.length).toBe(1);
    await delay(2 * FLEET_CONFIRM_MS);
    expect([replies, answers]).toMatchObject([[], [{ status: 200, text: '{"terminals":[]}' }]]);
  });

  it('is confirmed beside the answers if its own does not come through: a sender waits only so long for a word', async () => {
    ask({ isSlow: true });
    await expect.poll(() => replies.length).toBe(1);
    expect(replies).toMatchObject([{ taken: true }]);
    expect(answers).toMatchObject([{ status: 200 }, { taken: true }]);
    taken();
    await delay(0);
    expect(replies.length).toBe(1);
  });
});
