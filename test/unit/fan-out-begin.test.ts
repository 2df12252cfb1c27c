import { expect, it } from 'vitest';
import { DomainError } from '#dist/contract/errors.js';
import { created, terminal } from '../support/events.js';
import { createFanOut, frame, screen } from '../support/fan-out.js';

const tick = () => new Promise((resolve) => setImmediate(resolve));
const SNAPSHOT = { variant: 'sized', snapshot: true } as const;

it('begins each terminal with its screen, a few at a time, and counts no loss', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const { fanOut, connect, asked } = createFanOut(undefined, ids);
  const { client, received } = connect(SNAPSHOT);
  await tick();
  expect(asked).toEqual(['a', 'b', 'c', 'd']);
  fanOut.frame(frame('output', 'a', 'before the screen', 'seq'));
  fanOut.frame(screen('a', 'SCREEN'));
  fanOut.frame(frame('output', 'a', 'after', 'seq'));
  expect(received).toEqual(['SCREEN', 'after']);
  expect(asked).toEqual(ids);
  expect(client.counters).toEqual({ dropped: 0, resyncs: 0 });
});

it('begins the others with their screens when those that were asked for are gone', async () => {
  const { fanOut, connect, asked } = createFanOut(
    async (id) => {
      if (id < 'e') throw new DomainError('terminal-not-found');
    },
    ['a', 'b', 'c', 'd', 'e', 'f'],
  );
  const { received } = connect(SNAPSHOT);
  await tick();
  for (const id of ['e', 'f']) fanOut.frame(screen(id, `SCREEN ${id}`));
  expect(asked).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  expect(received).toEqual(['SCREEN e', 'SCREEN f']);
});

it('begins the others with their screens when the client may no longer see those that were asked for', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const { fanOut, connect, asked } = createFanOut(undefined, ids);
  const hidden = new Set<string>();
  const { received } = connect({ ...SNAPSHOT, sees: (id) => !hidden.has(id) });
  await tick();
  for (const id of asked) hidden.add(id);
  for (const id of [...asked]) fanOut.frame(screen(id, `SCREEN ${id}`));
  fanOut.frame(screen('e', 'SCREEN e'));
  expect(asked).toEqual(ids);
  expect(received).toEqual(['SCREEN e']);
});

it.each([
  ['with its screen', SNAPSHOT, 'sized', 'seq'],
  ['with a screen in place of the output that it missed', { variant: 'plain' }, 'plain', 'plain'],
] as const)('begins a terminal that comes into sight %s', async (_how, subscription, sized, variant) => {
  const { fanOut, connect, asked } = createFanOut(undefined, ['a']);
  let isSeen = false;
  const { received } = connect({ ...subscription, sees: () => isSeen });
  await tick();
  fanOut.frame(frame('output', 'a', 'secret', variant));
  fanOut.deliver({ type: 'updated', id: 'a', terminal: terminal('a') });
  expect([asked, received]).toEqual([[], []]);
  isSeen = true;
  fanOut.deliver({ type: 'updated', id: 'a', terminal: terminal('a') });
  fanOut.frame(frame('output', 'a', 'before the screen', variant));
  fanOut.frame(frame('resync', 'a', 'SCREEN', sized));
  fanOut.frame(frame('output', 'a', 'after', variant));
  expect([asked, received]).toEqual([['a'], ['SCREEN', 'after']]);
});

it('makes up for output that one shard drops before the others have confirmed what the client watches', async () => {
  const { fanOut, connect, asked } = createFanOut(undefined, ['a']);
  const { client, received } = connect();
  client.live = false;
  // The shard does not report it again while it drops more.
  fanOut.deliver({ type: 'interrupted', id: 'a' });
  expect(asked).toEqual([]);
  await tick();
  expect([client.live, asked]).toEqual([true, ['a']]);
  fanOut.frame(frame('output', 'a', 'before the screen'));
  fanOut.frame(frame('resync', 'a', 'SCREEN'));
  fanOut.frame(frame('output', 'a', 'after'));
  expect(received).toEqual(['SCREEN', 'after']);
});

it('sends what is owed when the terminals that were asked for are no longer watched', async () => {
  const { fanOut, connect, asked } = createFanOut();
  const { client, received } = connect();
  await tick();
  const ids = ['a', 'b', 'c', 'd', 'e'];
  for (const id of ids) fanOut.restart(client, id);
  expect(asked).toEqual(['a', 'b', 'c', 'd']);
  await fanOut.watch(client, ['e']);
  fanOut.frame(frame('resync', 'e', 'SCREEN'));
  expect(received).toEqual(['SCREEN']);
});

it('begins a new terminal with its screen, after the event of its creation', async () => {
  const { fanOut, connect, asked } = createFanOut();
  const { received } = connect({ ...SNAPSHOT, lifecycle: true });
  await tick();
  fanOut.deliver(created(terminal('a')));
  fanOut.deliver({ type: 'resized', id: 'a', cols: 9, rows: 9 });
  expect(asked).toEqual(['a']);
  fanOut.frame(screen('a', 'SCREEN'));
  expect(received.map((message) => message.match(/terminal\.\w+|SCREEN/)?.[0])).toEqual([
    'terminal.created',
    'SCREEN',
    'terminal.resized',
  ]);
});

it('sends a client without snapshot no screen', async () => {
  const { fanOut, connect, asked } = createFanOut(undefined, ['a']);
  const { received } = connect();
  await tick();
  fanOut.deliver(created(terminal('b')));
  fanOut.frame(frame('output', 'a', 'text'));
  expect(asked).toEqual([]);
  expect(received).toEqual(['text']);
});

it('keeps shards free of a client that takes no output, which still gets events', async () => {
  const { fanOut, connect, asked, interests } = createFanOut(undefined, ['a']);
  const { client, received } = connect({ variant: undefined, snapshot: true, lifecycle: true });
  await tick();
  fanOut.frame(frame('output', 'a', 'text'));
  fanOut.deliver({ type: 'interrupted', id: 'a' });
  fanOut.deliver({ type: 'resized', id: 'a', cols: 9, rows: 9 });
  await fanOut.watch(client, ['a']);
  fanOut.remove(client);
  expect(received).toHaveLength(1);
  expect(asked).toEqual([]);
  expect(interests).toEqual([]);
});

it('leaves it out of the interest of others', async () => {
  const { connect, interests } = createFanOut();
  connect({ variant: undefined, terminals: new Set(['a']) });
  connect({ terminals: new Set(['b']) });
  await tick();
  expect(interests).toEqual([{ all: [], terminals: new Map([['b', ['plain']]]) }]);
});

it('replaces the watched terminals: new ones begin with their screens, others go on or end', async () => {
  const { fanOut, connect, asked } = createFanOut(undefined, ['a', 'b', 'c']);
  const { client, received } = connect({ ...SNAPSHOT, terminals: new Set(['a', 'b']) });
  await tick();
  for (const id of ['a', 'b']) fanOut.frame(screen(id, `SCREEN ${id}`));
  const watching = fanOut.watch(client, ['b', 'c']);
  fanOut.frame(frame('output', 'a', 'a is unwatched', 'seq'));
  fanOut.frame(frame('output', 'b', 'b goes on', 'seq'));
  fanOut.frame(frame('output', 'c', 'c is not live', 'seq'));
  await watching;
  fanOut.frame(frame('output', 'c', 'c is owed', 'seq'));
  fanOut.frame(screen('c', 'SCREEN c'));
  fanOut.frame(frame('output', 'c', 'c goes on', 'seq'));
  expect(asked).toEqual(['a', 'b', 'c']);
  expect(received).toEqual(['SCREEN a', 'SCREEN b', 'b goes on', 'SCREEN c', 'c goes on']);
});

it('drops what waits of a terminal that is no longer watched', async () => {
  const { fanOut, connect } = createFanOut(undefined, ['a']);
  const { client, received } = connect({ ...SNAPSHOT, lifecycle: true });
  await tick();
  fanOut.deliver({ type: 'resized', id: 'a', cols: 9, rows: 9 });
  await fanOut.watch(client, []);
  fanOut.frame(screen('a', 'SCREEN'));
  expect(received).toEqual([]);
  // The output that waited is no longer counted, so the rest of the bound is free.
  for (let count = 0; count < 3; count++) client.queue.push('x'.repeat(300));
  expect(received).toHaveLength(3);
});

it('does not watch for a client that has left', async () => {
  const { fanOut, connect, interests } = createFanOut();
  const { client, received } = connect();
  await tick();
  fanOut.remove(client);
  await fanOut.watch(client, undefined);
  fanOut.frame(frame('output', 'a', 'text'));
  expect(received).toEqual([]);
  expect(interests.at(-1)).toEqual({ all: [], terminals: new Map() });
});

it('sends a screen again on request, only of output that is watched', async () => {
  const { fanOut, connect, asked } = createFanOut();
  const { client, received } = connect({ terminals: new Set(['a']) });
  await tick();
  expect([fanOut.restart(client, 'a'), fanOut.restart(client, 'b')]).toEqual([true, false]);
  fanOut.frame(frame('output', 'a', 'before'));
  fanOut.frame(frame('resync', 'a', 'SCREEN'));
  expect(asked).toEqual(['a']);
  expect(received).toEqual(['SCREEN']);
});
