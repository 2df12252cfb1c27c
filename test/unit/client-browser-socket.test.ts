import { getEventListeners } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { FetchTransport } from '#dist/client/browser/fetch-transport.js';

/** A browser's WebSocket, whose other end is the test. */
class FakeSocket {
  static last: FakeSocket;
  isClosed = false;
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;

  constructor() {
    FakeSocket.last = this;
  }

  send(): void {}

  close(): void {
    this.isClosed = true;
  }
}

async function open(signal?: AbortSignal) {
  vi.stubGlobal('WebSocket', FakeSocket);
  onTestFinished(() => void vi.unstubAllGlobals());
  const opening = new FetchTransport('http://127.0.0.1:1').connect('/ws', signal);
  await vi.waitFor(() => expect(FakeSocket.last.onopen).not.toBeNull());
  FakeSocket.last.onopen?.();
  return { socket: FakeSocket.last, wire: await opening };
}

it('gives up a connection of which too much is unread, by the size of it, and ends with what had come', async () => {
  const { socket, wire } = await open();
  const frame = 'x'.repeat(64 * 1024);
  let sent = 0;
  for (; sent < 2_000 && !socket.isClosed; sent++) socket.onmessage?.({ data: frame });
  expect([sent, socket.isClosed]).toEqual([513, true]);
  // A browser's WebSocket that is closing takes no more messages.
  socket.onclose?.({ code: 1005 });
  let read = 0;
  for await (const text of wire.messages) read += Number(text === frame);
  expect(read).toBe(sent);
});

it('keeps a connection whose reader keeps up', async () => {
  const { socket, wire } = await open();
  const frame = 'x'.repeat(1024 * 1024);
  const messages = wire.messages[Symbol.asyncIterator]();
  for (let count = 0; count < 100; count++) {
    socket.onmessage?.({ data: frame });
    expect((await messages.next()).value).toBe(frame);
  }
  expect(socket.isClosed).toBe(false);
});

it('leaves nothing of a connection that has ended at the signal of its caller', async () => {
  const { signal } = new AbortController();
  const { socket } = await open(signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  socket.onclose?.({ code: 1006 });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('is refused with the reason of the signal that ends its opening', async () => {
  vi.stubGlobal('WebSocket', FakeSocket);
  onTestFinished(() => void vi.unstubAllGlobals());
  const leaving = new AbortController();
  const opening = new FetchTransport('http://127.0.0.1:1').connect('/ws', leaving.signal);
  await vi.waitFor(() => expect(FakeSocket.last.onopen).not.toBeNull());
  const reason = new Error('enough');
  leaving.abort(reason);
  expect(FakeSocket.last.isClosed).toBe(true);
  FakeSocket.last.onclose?.({ code: 1006 });
  await expect(opening).rejects.toBe(reason);
});
