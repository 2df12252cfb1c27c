import type { FrameEvent } from '#dist/actors/events.js';
import { ClientQueue } from '#dist/gateway/ws/client-queue.js';
import { FanOut, type OutputSource } from '#dist/gateway/ws/fan-out.js';
import { StreamClient, type Subscription } from '#dist/gateway/ws/stream-client.js';
import type { FrameVariant, Interest } from '#dist/workers/shard/protocol.js';

/** A fan-out over a source that records its requests, and clients whose network the test controls. */
export function createFanOut(resync: OutputSource['resync'] = async () => undefined, there: string[] = []) {
  const asked: string[] = [];
  const interests: Interest[] = [];
  const faults: Error[] = [];
  const fanOut = new FanOut(
    {
      watch: async (interest) => void interests.push(interest),
      list: () => there.map((id) => ({ id })),
      resync: (id) => {
        asked.push(id);
        return resync(id);
      },
    },
    (error) => faults.push(error),
  );
  const connect = (subscription: Partial<Subscription> = {}) => {
    const received: string[] = [];
    const network: Array<() => void> = [];
    let overflowed = false;
    const queue = new ClientQueue({
      send: (message, done) => {
        received.push(message.toString());
        network.push(done);
      },
      maxBytes: 1_000,
      reservedBytes: 200,
      drainedBytes: 10,
      messageBytes: 0,
      onDrained: () => fanOut.drained(client),
      onOverflow: () => {
        overflowed = true;
      },
    });
    const client = new StreamClient(
      {
        terminals: undefined,
        variant: 'plain',
        lifecycle: false,
        everything: false,
        activity: false,
        snapshot: false,
        screens: false,
        ...subscription,
      },
      queue,
    );
    void fanOut.add(client);
    // The client counts as welcomed, unless a test resets this.
    client.live = true;
    const drain = () => {
      for (const done of network.splice(0)) done();
    };
    return { client, received, drain, overflowed: () => overflowed };
  };
  return { fanOut, connect, asked, interests, faults };
}

/** Returns a frame of output, or of a screen. */
export function frame(
  type: 'output' | 'resync',
  id: string,
  content: string,
  variant: FrameVariant = 'plain',
): FrameEvent {
  return { type, id, [variant]: new TextEncoder().encode(content).buffer };
}

/** Returns a screen for clients whose stream begins with a screen. */
export function screen(id: string, content: string): FrameEvent {
  return frame('resync', id, content, 'sized');
}
