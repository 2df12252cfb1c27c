import { expect, it, vi } from 'vitest';
import { ClientInbox } from '#dist/gateway/ws/client-inbox.js';

/** An inbox with two messages in work at once; each lasts until the test ends it. */
function open() {
  const begun: string[] = [];
  const ends: Array<() => void> = [];
  let isRead = true;
  const inbox = new ClientInbox({
    work: (message) => {
      begun.push(message);
      return new Promise((resolve) => void ends.push(resolve));
    },
    ...{ maxInWork: 2, maxBytes: 1_000, messageBytes: 100 },
    onFull: () => {
      isRead = false;
    },
    onRoom: () => {
      isRead = true;
    },
  });
  const take = (...messages: string[]) => {
    for (const message of messages) inbox.take(message);
  };
  const end = async () => {
    ends.shift()?.();
    await Promise.resolve();
  };
  return { inbox, begun, take, end, isRead: () => isRead };
}

it('begins messages in their order, so many at once, and reads on', async () => {
  const { begun, take, end, isRead } = open();
  take('a', 'b', 'c', 'd');
  expect(begun).toEqual(['a', 'b']);
  await end();
  expect(begun).toEqual(['a', 'b', 'c']);
  take('e');
  for (let n = 0; n < 4; n++) await end();
  take('f', 'g', 'h');
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  expect(isRead()).toBe(true);
});

it('is not read beyond its bytes, until half of them have gone', async () => {
  const { begun, take, end, isRead } = open();
  take('a', 'b', 'x'.repeat(200), 'y'.repeat(200));
  expect(isRead()).toBe(true);
  take('z');
  expect(isRead()).toBe(false);
  // What was read before the pause took effect is kept, too.
  take('late');
  await end();
  expect(isRead()).toBe(false);
  await end();
  expect(isRead()).toBe(true);
  await end();
  await end();
  expect(begun.map((message) => message[0])).toEqual(['a', 'b', 'x', 'y', 'z', 'l']);
});

it('begins all that waits as soon as the client has left', () => {
  const { inbox, begun, take } = open();
  take('a', 'b', 'c', 'd');
  inbox.finish();
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
});

it('begins nothing more once its messages are dropped', async () => {
  const { inbox, begun, take, end } = open();
  take('a', 'b', 'c');
  inbox.drop();
  await end();
  expect(begun).toEqual(['a', 'b']);
});

it('goes on after a message that is done at once', async () => {
  const begun: string[] = [];
  const inbox = new ClientInbox({
    work: async (message) => void begun.push(message),
    ...{ maxInWork: 1, maxBytes: 1_000, messageBytes: 100 },
    onFull: () => expect.unreachable(),
    onRoom: () => expect.unreachable(),
  });
  for (const message of ['a', 'b', 'c']) inbox.take(message);
  await vi.waitFor(() => expect(begun).toEqual(['a', 'b', 'c']));
});
