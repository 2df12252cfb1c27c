import { expect, it } from 'vitest';
import { type EngineOptions, PtyHostSupervisor } from '../../src/actors/pty-host-supervisor.js';
import { HostBusy, HostUnreachable } from '../../src/workers/pty-host/client/host-errors.js';

/** A supervisor of hosts that are connected or refused as the list says, beginning with the second start. */
async function supervised(later: (Error | undefined)[], more: Partial<EngineOptions> = {}) {
  const log: string[] = [];
  const deaths: (() => void)[] = [];
  const coming = [undefined, ...later];
  const supervisor = await PtyHostSupervisor.start({
    connectHost: async () => {
      const refusal = coming.shift();
      if (refusal) throw refusal;
      const closed = new Promise<void>((resolve) => deaths.push(resolve));
      return { closed, close: () => log.push('closed'), shutdown: async () => log.push('ended') } as never;
    },
    startShards: () => ({ stop: async () => {}, settle: async () => {} }) as never,
    onStarted: async () => void log.push('started'),
    onHostLost: () => log.push('lost'),
    onGaveUp: ({ message }) => log.push(`gave up: ${message}`),
    startDelaysMs: [0, 0],
    logger: { error: () => {} } as never,
    ...({} as Pick<EngineOptions, 'onStream' | 'onRehomed'>),
    ...more,
  });
  const settled = () => supervisor.parts.catch(() => undefined);
  const kill = async () => {
    deaths.at(-1)?.();
    await Promise.resolve();
    await Promise.resolve();
    await settled();
  };
  return { supervisor, log, kill };
}

const refused = () => new HostUnreachable('no process can be started');

it('starts another host once the machine lets one start', async () => {
  const { log, kill } = await supervised([refused(), refused()]);
  await kill();
  expect(log).toEqual(['started', 'lost', 'started']);
});

it('gives up after the last delay, and at once where another service has the host', async () => {
  const short = await supervised([refused(), refused(), refused()]);
  await short.kill();
  expect(short.log).toEqual(['started', 'lost', 'gave up: no process can be started']);
  const busy = await supervised([new HostBusy('x')]);
  await busy.kill();
  expect(busy.log.slice(2)).toEqual(['gave up: the pty host serves another service (instance x)']);
});

it('takes a host that dies before its terminals are known for a start that failed', async () => {
  let starts = 0;
  const onStarted = async () => {
    if (++starts === 2) throw new Error('unavailable');
  };
  const { log, kill } = await supervised([], { onStarted });
  await kill();
  expect(log).toEqual(['lost', 'closed']);
  expect(starts).toBe(3);
});

it('stops between two tries', async () => {
  const { supervisor, log, kill } = await supervised([refused()], { startDelaysMs: [600_000] });
  const killed = kill();
  await Promise.resolve();
  await supervisor.shutdown();
  await killed;
  expect(log).toEqual(['started', 'lost']);
});
