import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FLEET_STREAM_RETRY_MS } from '#dist/contract/limits.js';
import type { FollowedHandlers, FollowedStream } from '#dist/fleet/streams/followed-stream.js';
import type { LiveTold, LiveWish } from '#dist/fleet/streams/live-wire.js';
import { RemoteAttached } from '#dist/gateway/remote/remote-attached.js';
import { RemoteOutput } from '#dist/gateway/remote/remote-output.js';
import { FanOut } from '#dist/gateway/ws/fan-out.js';

const fault = (error: unknown) => {
  throw error;
};

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('when a stream is lost, its leader leads in the next one, and who typed before takes no lead by that', async () => {
  const streams: { wishes: LiveWish[]; handlers: FollowedHandlers }[] = [];
  /** The owner's outcome: the client that leads by then. */
  let leader = '';
  const open = async (_machineId: string, _url: string, handlers: FollowedHandlers) => {
    const wishes: LiveWish[] = [];
    streams.push({ wishes, handlers });
    const wish = (wished: LiveWish) => {
      wishes.push(wished);
      const clients = wished.clients.map(({ clientId, cols, rows }) => {
        return { ...{ clientId, cols, rows }, as: `m_1/${clientId}`, isLeader: clientId === leader };
      });
      // Later, as over a network.
      queueMicrotask(() => handlers.onTold?.({ version: wished.version, clients } satisfies LiveTold));
    };
    return { wish, close: () => undefined } as unknown as FollowedStream;
  };
  const attached = new RemoteAttached({
    output: () => output,
    resize: async () => undefined,
    onFault: fault,
  });
  const output = new RemoteOutput({
    ...{ machineId: 'm_1', streams: { open }, fanOut: () => fanOut },
    ...{ isConcerned: () => false, onBegunAnew: (id) => attached.begunAnew(id) },
  });
  const fanOut = new FanOut(output, fault);
  await output.watch({ all: [], terminals: new Map([['term_1', ['plain']]]) });
  const [one, other] = ['client_000000000001', 'client_000000000002'];
  for (const clientId of [one, other])
    await attached.attach('term_1', clientId, { cols: 80, rows: 24, readOnly: false, name: clientId });
  attached.typed('term_1', one, 'x');
  leader = other;
  await attached.lead('term_1', other);
  const last = () =>
    streams
      .at(-1)
      ?.wishes.at(-1)
      ?.clients.map(({ typed, leads }) => [typed, leads]);
  expect(last()).toEqual([
    [1, 0],
    [0, 1],
  ]);

  streams[0]!.handlers.onEnd('lost');
  await vi.advanceTimersByTimeAsync(FLEET_STREAM_RETRY_MS);
  expect(streams).toHaveLength(2);
  for (const { clients } of streams[1]!.wishes)
    expect(clients.map(({ typed, leads }) => [typed, leads])).toEqual([
      [0, 0],
      [0, 1],
    ]);
  // What they do from now on counts.
  attached.typed('term_1', one, 'x');
  expect(last()).toEqual([
    [1, 0],
    [0, 1],
  ]);
});
