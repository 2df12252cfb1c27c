import { expect, test } from 'vitest';
import type { FollowedStream } from '#dist/fleet/streams/followed-stream.js';
import type { LiveWish } from '#dist/fleet/streams/live-wire.js';
import { RelayClient } from '#dist/gateway/remote/relay-client.js';
import { RemoteOutput } from '#dist/gateway/remote/remote-output.js';
import { ClientQueue } from '#dist/gateway/ws/client-queue.js';
import { FanOut } from '#dist/gateway/ws/fan-out.js';

test('a screen is asked for again if all who had asked for it left before it came', async () => {
  const wishes: LiveWish[] = [];
  const stream = { wish: (wish: LiveWish) => wishes.push(wish), close: () => undefined };
  const output = new RemoteOutput({
    ...{ machineId: 'm_1', streams: { open: async () => stream as unknown as FollowedStream } },
    ...{
      fanOut: () => fanOut,
      isConcerned: () => false,
      onBegunAnew: () => undefined,
      onEnded: () => undefined,
    },
  });
  const fanOut = new FanOut(output, (error) => {
    throw error;
  });
  for (const who of ['the first', 'the second']) {
    const queue = new ClientQueue({
      send: (_message, done) => done(),
      ...{ maxBytes: 100_000, reservedBytes: 100, drainedBytes: 10, messageBytes: 0 },
      ...{ onDrained: () => undefined, onOverflow: () => undefined },
    });
    const client = new RelayClient('term_1', queue);
    await fanOut.add(client);
    client.want();
    fanOut.drained(client);
    expect(wishes.at(-1)?.screens, `screens that the stream of ${who} has asked for`).toBe(1);
    fanOut.remove(client);
  }
});
