import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Identity } from '../../src/fleet/identity.js';
import { AgreementKey } from '../../src/fleet/key-agreement.js';
import type { PinnedGrant } from '../../src/fleet/rights.js';
import { STREAM_METHOD } from '../../src/fleet/streams/stream-wire.js';
import { StreamsIn } from '../../src/fleet/streams/streams-in.js';
import { FreeMemory } from '../../src/workers/free-memory.js';

const [owner, one, other] = [1, 2, 3].map(() => new Identity(randomBytes(32)));

/** Returns the streams of a machine that has granted both others to observe, and what has happened to the streams. */
function ownStreams() {
  const peers = new Map(
    [one!, other!].map(({ machineId, publicKey }) => [machineId, { machineId, publicKey }]),
  );
  const grants = [...peers.values()].map(
    ({ machineId, publicKey }) =>
      ({
        to: machineId,
        publicKey,
        can: ['observe'],
        terminals: '*',
        until: null,
        ask: 'never',
      }) as PinnedGrant,
  );
  const happened: string[] = [];
  const streams = new StreamsIn({
    identity: () => owner!,
    memory: new FreeMemory(),
    peerOf: (id) => peers.get(id),
    grants: () => grants,
    labelsOf: () => ({}),
    sources: {
      live: ({ machineId, terminalId }) => {
        const name = `${machineId === one!.machineId ? 'one' : 'other'} ${terminalId}`;
        happened.push(`begins ${name}`);
        return { onWish: () => undefined, close: () => happened.push(`ends ${name}`) };
      },
      answer: () => ({ onWish: () => undefined, close: () => happened.push('ends the answer') }),
    },
  });
  const open = ({ machineId }: Identity, path: string) => {
    const body = JSON.stringify({
      id: randomBytes(16).toString('base64url'),
      key: new AgreementKey().publicKey,
    });
    return streams.open(machineId, { method: STREAM_METHOD, url: `/api/terminals/${path}`, body }).status;
  };
  return { streams, grants, happened, open };
}

test('a stream that nobody was asked about ends with the grant that allowed it, though another one asks', () => {
  const { streams, grants, happened, open } = ownStreams();
  grants.push({ ...grants[0]!, ask: 'always' });
  expect([open(one!, 'a/live'), open(other!, 'a/live')]).toEqual([200, 200]);
  grants.shift();
  streams.look();
  expect(happened.slice(2)).toEqual(['ends one a']);
  streams.closeAll();
});

test('a terminal that a machine watches anew is no longer sent by the earlier stream, and nothing else ends', () => {
  const { streams, happened, open } = ownStreams();
  try {
    const opened = [
      ...[open(one!, 'a/live'), open(one!, 'b/live'), open(other!, 'a/live')],
      ...[open(one!, 'a/stream'), open(one!, 'a/live')],
    ];
    expect(opened).toEqual([200, 200, 200, 200, 200]);
    // Before the new one begins: its clients are attached under the same ids.
    expect(happened).toEqual([
      'begins one a',
      'begins one b',
      'begins other a',
      'ends one a',
      'begins one a',
    ]);
    expect(streams.size).toBe(4);
  } finally {
    streams.closeAll();
  }
});
