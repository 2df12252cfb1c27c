import { describe, expect, it, vi } from 'vitest';
import { DomainError } from '#dist/contract/errors.js';
import { createFanOut, frame } from '../support/fan-out.js';

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('FanOut', () => {
  it('cuts only the client that cannot keep up to a snapshot', async () => {
    const { fanOut, connect, asked } = createFanOut();
    const slow = connect();
    const fast = connect();
    fanOut.frame(frame('output', 'a', 'x'.repeat(700)));
    fast.drain();
    fanOut.frame(frame('output', 'a', 'y'.repeat(700)));
    fast.drain();
    fanOut.frame(frame('output', 'a', 'z'));
    expect(fast.received).toHaveLength(3);
    expect(slow.received).toHaveLength(1);
    expect(asked).toEqual([]);

    slow.drain();
    expect(asked).toEqual(['a']);
    fanOut.frame(frame('output', 'a', 'before the screen'));
    fanOut.frame(frame('resync', 'a', 'SCREEN'));
    fanOut.frame(frame('output', 'a', 'after'));
    expect(slow.received.slice(1)).toEqual(['SCREEN', 'after']);
    expect(fast.received.slice(3)).toEqual(['before the screen', 'after']);
  });

  it('sends a cut client an exit after the screen it is owed', () => {
    const { fanOut, connect } = createFanOut();
    const slow = connect({ lifecycle: true });
    fanOut.frame(frame('output', 'a', 'x'.repeat(700)));
    fanOut.frame(frame('output', 'a', 'y'.repeat(700)));
    fanOut.deliver({ type: 'exited', id: 'a', exit: { exitCode: 0, signal: null, exitedAt: 1 } });
    slow.drain();
    fanOut.frame(frame('resync', 'a', 'SCREEN'));
    expect(slow.received[1]).toBe('SCREEN');
    expect(slow.received[2]).toContain('terminal.exited');
  });

  it('lets a screen that is larger than the bound through an empty queue', () => {
    const { fanOut, connect } = createFanOut();
    const slow = connect();
    fanOut.frame(frame('output', 'a', 'x'.repeat(700)));
    fanOut.frame(frame('output', 'a', 'y'.repeat(700)));
    slow.drain();
    fanOut.frame(frame('resync', 'a', 'S'.repeat(5_000)));
    expect(slow.received[1]).toHaveLength(5_000);
  });

  it('owes the screens of many terminals, a few at a time', () => {
    const { fanOut, connect, asked } = createFanOut();
    const slow = connect();
    fanOut.frame(frame('output', 'first', 'x'.repeat(790)));
    for (let index = 0; index < 10; index++) fanOut.frame(frame('output', `t${index}`, 'y'.repeat(100)));
    slow.drain();
    expect(asked).toEqual(['t0', 't1', 't2', 't3']);
    for (let index = 0; index < 10; index++) fanOut.frame(frame('resync', `t${index}`, `SCREEN ${index}`));
    expect(asked).toHaveLength(10);
    expect(slow.received.slice(1)).toHaveLength(10);
  });

  it('asks for no screen for a client without room', () => {
    const { fanOut, connect, asked } = createFanOut();
    const stalled = connect();
    const reader = connect();
    fanOut.frame(frame('output', 'a', 'x'.repeat(700)));
    reader.drain();
    fanOut.deliver({ type: 'interrupted', id: 'a' });
    fanOut.frame(frame('resync', 'a', 'SCREEN'.repeat(100)));
    expect(reader.received.at(-1)).toBe('SCREEN'.repeat(100));
    expect(asked).toEqual(['a']);
    stalled.drain();
    expect(asked).toEqual(['a', 'a']);
  });

  it('sends a client nothing before it is live, when every shard knows its interest', async () => {
    const { fanOut, connect } = createFanOut();
    const { client, received } = connect({ lifecycle: true });
    client.live = false;
    fanOut.frame(frame('output', 'a', 'before'));
    fanOut.deliver({ type: 'removed', id: 'a', reason: 'closed' });
    await tick();
    expect(client.live).toBe(true);
    fanOut.frame(frame('output', 'a', 'after'));
    expect(received).toEqual(['after']);
  });

  it('keeps the last of many resizes for a client that is owed the screen', () => {
    const { fanOut, connect } = createFanOut();
    const slow = connect({ lifecycle: true });
    fanOut.deliver({ type: 'interrupted', id: 'a' });
    for (let cols = 1; cols <= 1_000; cols++) fanOut.deliver({ type: 'resized', id: 'a', cols, rows: 1 });
    fanOut.frame(frame('resync', 'a', 'SCREEN'));
    expect(slow.received).toHaveLength(2);
    expect(slow.received[1]).toContain('"cols":1000');
  });

  it('asks again if a screen could not be made', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let fail = true;
    const { fanOut, connect, asked, faults } = createFanOut(() =>
      fail ? Promise.reject(new Error('busy')) : Promise.resolve(),
    );
    const { received } = connect();
    // Until the source has confirmed its interest, the client is owed the screen and nobody is asked.
    await tick();
    fanOut.deliver({ type: 'interrupted', id: 'a' });
    await tick();
    expect(faults).toHaveLength(1);
    fail = false;
    vi.advanceTimersByTime(1_000);
    expect(asked).toEqual(['a', 'a']);
    fanOut.frame(frame('resync', 'a', 'SCREEN'));
    expect(received).toEqual(['SCREEN']);
    vi.useRealTimers();
  });

  it('asks once for all clients that are owed the same screen', () => {
    const { fanOut, connect, asked } = createFanOut();
    const clients = [connect(), connect(), connect()];
    fanOut.deliver({ type: 'interrupted', id: 'a' });
    expect(asked).toEqual(['a']);
    fanOut.frame(frame('resync', 'a', 'SCREEN'));
    for (const { received } of clients) expect(received).toEqual(['SCREEN']);
  });

  it('forgets what it owes of a removed terminal', async () => {
    const { fanOut, connect, faults } = createFanOut(() =>
      Promise.reject(new DomainError('terminal-not-found')),
    );
    const slow = connect({ lifecycle: true });
    fanOut.deliver({ type: 'interrupted', id: 'a' });
    fanOut.deliver({ type: 'exited', id: 'a', exit: { exitCode: 0, signal: null, exitedAt: 1 } });
    expect(slow.received).toEqual([]);
    await tick();
    expect(slow.received[0]).toContain('terminal.exited');
    expect(faults).toEqual([]);
  });

  it('disconnects a client with no room even for replies', () => {
    const { connect } = createFanOut();
    const slow = connect();
    slow.client.queue.push('x'.repeat(900));
    expect(slow.overflowed()).toBe(false);
    slow.client.queue.push('x'.repeat(200));
    expect(slow.overflowed()).toBe(true);
  });

  it('watches what its clients want, in the forms they want', () => {
    const { fanOut, connect, interests } = createFanOut();
    connect();
    const { client } = connect({ terminals: new Set(['a', 'b']), variant: 'seq' });
    expect(interests.at(-1)).toEqual({
      all: ['plain'],
      terminals: new Map([
        ['a', ['seq']],
        ['b', ['seq']],
      ]),
    });
    fanOut.remove(client);
    expect(interests.at(-1)).toEqual({ all: ['plain'], terminals: new Map() });
  });

  it('sends a filtered client only its own terminals', () => {
    const { fanOut, connect } = createFanOut();
    const { received } = connect({ terminals: new Set(['a']), lifecycle: true });
    fanOut.frame(frame('output', 'b', 'other'));
    fanOut.deliver({ type: 'removed', id: 'b', reason: 'closed' });
    fanOut.frame(frame('output', 'a', 'mine'));
    expect(received).toEqual(['mine']);
  });
});
