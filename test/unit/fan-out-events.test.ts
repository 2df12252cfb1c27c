import { describe, expect, it } from 'vitest';
import type { Command } from '#dist/contract/command.js';
import { ACTIVITY_BELOW_BYTES } from '#dist/contract/limits.js';
import { createFanOut, frame } from '../support/fan-out.js';

function command(id: string): Command {
  const outputCursor = { start: 'c', end: null };
  const at = { startedAt: 1, endedAt: null, durationMs: null, exitCode: null };
  return { id, commandLine: 'ls', cwd: '/', ...at, outputCursor };
}

it('sends commands and agents to clients that asked for lifecycle events', () => {
  const { fanOut, connect } = createFanOut();
  const [watcher, plain] = [connect({ lifecycle: true }), connect()];
  const running = command('cmd_1');
  const ended = { ...running, endedAt: 2, durationMs: 1, exitCode: 3 };
  const agent = { agent: 'claude', agentStatus: 'waiting' as const, agentStatusReason: 'a reason' };
  fanOut.deliver({ type: 'command', id: 'a', command: running });
  fanOut.deliver({ type: 'command', id: 'a', command: ended });
  fanOut.deliver({ type: 'agent', id: 'a', agent });
  expect(watcher.received.map((text) => (JSON.parse(text) as { event: unknown }).event)).toEqual([
    { type: 'command.started', terminalId: 'a', data: running },
    { type: 'command.finished', terminalId: 'a', data: ended },
    { type: 'agent.status', terminalId: 'a', data: agent },
  ]);
  expect(plain.received).toEqual([]);
});

it('keeps the last size and the last agent status, and every command, for a client that is owed the screen', () => {
  const { fanOut, connect } = createFanOut();
  const slow = connect({ lifecycle: true });
  fanOut.deliver({ type: 'interrupted', id: 'a' });
  const agent = { agent: 'claude', agentStatus: null, agentStatusReason: null };
  for (let round = 1; round <= 2; round++) {
    fanOut.deliver({ type: 'agent', id: 'a', agent: { ...agent, agentStatusReason: `${round}` } });
    fanOut.deliver({ type: 'resized', id: 'a', cols: round, rows: 1 });
    fanOut.deliver({ type: 'command', id: 'a', command: command(`cmd_${round}`) });
  }
  fanOut.frame(frame('resync', 'a', 'SCREEN'));
  const events = slow.received.slice(1).map((text) => JSON.parse(text) as { event: { data: object } });
  expect(events.map(({ event }) => event.data)).toEqual([
    command('cmd_1'),
    { ...agent, agentStatusReason: '2' },
    { cols: 2, rows: 1 },
    command('cmd_2'),
  ]);
  expect(slow.overflowed()).toBe(false);
});

it.each([
  ['takes every event', { lifecycle: true, everything: true }],
  ['is attached to the terminal', {}],
])(
  'sends an event that waits for a screen to a client that watches another terminal and %s',
  async (_, how) => {
    const { fanOut, connect } = createFanOut();
    const { client, received } = connect({ ...how, terminals: new Set(['a']) });
    const attached = { clientId: client.id, name: null, readOnly: false, cols: 1, rows: 1 } as never;
    if (!client.subscription.everything) fanOut.deliver({ type: 'attached', id: 'a', client: attached });
    fanOut.deliver({ type: 'interrupted', id: 'a' });
    const exit = { exitCode: 0, signal: null, exitedAt: 1 };
    fanOut.deliver({ type: 'exited', id: 'a', exit });
    fanOut.tell({ type: 'terminal.exited', terminalId: 'a', data: exit });
    expect(received).toEqual([]);
    await fanOut.watch(client, ['b']);
    fanOut.frame(frame('resync', 'a', 'SCREEN'));
    expect(received.map((text) => (JSON.parse(text) as { event: unknown }).event)).toEqual([
      { type: 'terminal.exited', terminalId: 'a', data: exit },
    ]);
  },
);

it('disconnects a client with more waiting events than fit', () => {
  const { fanOut, connect } = createFanOut();
  const slow = connect({ lifecycle: true });
  fanOut.deliver({ type: 'interrupted', id: 'a' });
  for (let count = 0; count < 3; count++)
    fanOut.deliver({ type: 'command', id: 'a', command: command(`cmd_${count}`) });
  expect(slow.overflowed()).toBe(false);
  fanOut.deliver({
    type: 'command',
    id: 'a',
    command: { ...command('cmd_4'), commandLine: 'x'.repeat(500) },
  });
  expect(slow.overflowed()).toBe(true);
});

it('reports whether any client follows lifecycle events, each time that changes', async () => {
  const { fanOut, connect } = createFanOut();
  const told: boolean[] = [];
  fanOut.onLifecycleFollowed((isFollowed) => told.push(isFollowed));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const plain = connect();
  const first = connect({ lifecycle: true });
  const second = connect({ lifecycle: true });
  await settle();
  expect(told).toEqual([true]);
  fanOut.remove(first.client);
  fanOut.remove(plain.client);
  expect(told).toEqual([true]);
  fanOut.remove(second.client);
  expect(told).toEqual([true, false]);
});

describe('clients that take everything', () => {
  const eventOf = (text: string) => (JSON.parse(text) as { event: object }).event;

  it('get what is logged from the log alone, of all terminals, and attachments', () => {
    const { fanOut, connect } = createFanOut();
    const [all, lifecycle, plain] = [
      connect({ lifecycle: true, everything: true, terminals: new Set() }),
      connect({ lifecycle: true }),
      connect(),
    ];
    fanOut.deliver({ type: 'resized', id: 'a', cols: 2, rows: 1 });
    fanOut.tell({ type: 'terminal.resized', terminalId: 'a', data: { cols: 2, rows: 1 } });
    fanOut.tell({ type: 'layout.changed', data: {} });
    fanOut.tell({ type: 'terminal.bell', terminalId: 'a', data: {} });
    const client = { clientId: 'client_1', name: null, readOnly: false, cols: 1, rows: 1 } as never;
    fanOut.deliver({ type: 'attached', id: 'a', client });
    expect(all.received.map(eventOf)).toEqual([
      { type: 'terminal.resized', terminalId: 'a', data: { cols: 2, rows: 1 } },
      { type: 'layout.changed', data: {} },
      { type: 'terminal.bell', terminalId: 'a', data: {} },
      { type: 'client.attached', terminalId: 'a', data: client },
    ]);
    expect(lifecycle.received.map(eventOf)).toHaveLength(2);
    expect(plain.received).toEqual([]);
  });

  it('that are not live yet, or are gone, get nothing', () => {
    const { fanOut, connect } = createFanOut();
    const [early, gone] = [connect({ everything: true }), connect({ everything: true })];
    early.client.live = false;
    fanOut.remove(gone.client);
    fanOut.tell({ type: 'canvas.changed', data: {} });
    fanOut.tell({ type: 'terminal.bell', terminalId: 'a', data: {} });
    expect([early.received, gone.received]).toEqual([[], []]);
  });

  it('make shards report bells, and only those that follow it make them report activity', async () => {
    const { fanOut, connect, interests } = createFanOut();
    const last = async () => {
      await Promise.resolve();
      const { activity = false, bells = false } = interests.at(-1)!;
      return { activity, bells };
    };
    const plain = connect();
    expect(await last()).toEqual({ activity: false, bells: false });
    const all = connect({ everything: true, variant: undefined });
    expect(await last()).toEqual({ activity: false, bells: true });
    const follower = connect({ activity: true, variant: undefined });
    expect(await last()).toEqual({ activity: true, bells: true });
    for (const { client } of [all, follower]) fanOut.remove(client);
    expect(await last()).toEqual({ activity: false, bells: false });
    fanOut.followSigns({ activity: true, bells: true });
    expect(await last()).toEqual({ activity: true, bells: true });
    fanOut.remove(plain.client);
    expect(await last()).toEqual({ activity: true, bells: true });
  });

  it('of those that follow activity, one message for all terminals of a turn; none for a slow client', async () => {
    const { fanOut, connect } = createFanOut();
    const [fast, slow] = [connect({ activity: true }), connect({ activity: true })];
    Object.defineProperty(slow.client.queue, 'queued', { value: ACTIVITY_BELOW_BYTES });
    for (const [terminalId, bytes] of [['a', 1] as const, ['b', 2] as const, ['a', 4] as const])
      fanOut.tell({ type: 'terminal.activity', terminalId, data: { bytes } });
    expect(fast.received).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    const terminals = [
      ['a', 5],
      ['b', 2],
    ];
    expect(fast.received.map(eventOf)).toEqual([{ type: 'terminal.activity', data: { terminals } }]);
    expect(slow.received).toEqual([]);
  });
});
