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

const [ONE, OTHER] = ['client_000000000001', 'client_000000000002'];
const ID = 'term_1';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Clients here that are attached to a terminal of another machine, whose answers the test decides. */
function create() {
  const streams: { wishes: LiveWish[]; handlers: FollowedHandlers }[] = [];
  const owner = { leader: '', mayType: true };
  const toldOf = ({ version, clients }: LiveWish): LiveTold => ({
    version,
    clients: clients.map(({ clientId, cols, rows, readOnly }) =>
      readOnly || owner.mayType
        ? { clientId, cols, rows, as: `m_1/${clientId}`, isLeader: clientId === owner.leader }
        : { clientId, code: 'not-granted', error: 'not granted', needs: 'type' },
    ),
  });
  const open = async (_machineId: string, _url: string, handlers: FollowedHandlers) => {
    const wishes: LiveWish[] = [];
    streams.push({ wishes, handlers });
    const wish = (wished: LiveWish) => {
      wishes.push(wished);
      const told = toldOf(wished);
      // Later, as over a network.
      queueMicrotask(() => handlers.onTold?.(told));
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
    onEnded: (id) => attached.ended(id),
  });
  const fanOut = new FanOut(output, fault);
  return {
    ...{ attached, streams, owner },
    watch: (...ids: string[]) =>
      output.watch({ all: [], terminals: new Map(ids.map((id) => [id, ['plain']])) }),
    attach: (clientId: string, readOnly = false) =>
      attached.attach(ID, clientId, { cols: 80, rows: 24, readOnly, name: clientId }),
    last: () => streams.at(-1)?.wishes.at(-1)?.clients,
  };
}

test('when a stream is lost, its leader leads in the next one, and who typed before takes no lead by that', async () => {
  const { attached, streams, owner, watch, attach, last } = create();
  const counts = () => last()?.map(({ typed, leads }) => [typed, leads]);
  await watch(ID);
  await attach(ONE);
  await attach(OTHER);
  attached.typed(ID, ONE, 'x');
  owner.leader = OTHER;
  await attached.lead(ID, OTHER);
  expect(counts()).toEqual([
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
  attached.typed(ID, ONE, 'x');
  expect(counts()).toEqual([
    [1, 0],
    [0, 1],
  ]);
});

test.each(['whose stream its owner ends', 'that nobody watches any more'])(
  'the clients of a terminal %s are attached no more, also when it is watched anew',
  async (which) => {
    const { attached, streams, watch, attach, last } = create();
    await watch(ID);
    await attach(ONE);
    if (which === 'that nobody watches any more') await watch();
    else {
      streams[0]!.handlers.onEnd({ code: 'not-granted', error: 'not granted' });
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(attached.isAttached(ID, ONE)).toBe(false);
    await watch();
    await watch(ID);
    await attach(OTHER);
    expect(last()?.map(({ clientId }) => clientId)).toEqual([OTHER]);
  },
);

test('a client that is refused as a writer, and attaches as a reader meanwhile, stays attached', async () => {
  const { attached, owner, watch, attach } = create();
  await watch(ID);
  owner.mayType = false;
  const answers = await Promise.allSettled([attach(ONE), attach(ONE, true)]);
  expect(answers).toMatchObject([
    { status: 'rejected', reason: { code: 'not-granted', details: { needs: 'type' } } },
    { status: 'fulfilled' },
  ]);
  expect(attached.isAttached(ID, ONE)).toBe(true);
});
