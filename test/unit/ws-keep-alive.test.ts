import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { ALL_RIGHTS } from '../../src/actors/access/rights.js';
import { type LiveParts, serveClient } from '../../src/gateway/ws/serve-client.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const PINGS_MS = 30_000;

/** A client's socket, which the service reads, writes and pings. */
class FakeSocket extends EventEmitter {
  isPaused = false;
  /** Whether the client has ended the connection. */
  hasLeft = false;
  isEnded = false;
  readonly sent: string[] = [];

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  send(message: string, done: () => void): void {
    this.sent.push(message);
    done();
  }

  ping(): void {}

  terminate(): void {
    this.isEnded = true;
    this.emit('close', 1006);
  }
}

/** Serves a client whose input waits until the test lets it be typed. */
function serve() {
  const socket = new FakeSocket();
  const waiting: Array<() => void> = [];
  const parts = {
    fanOut: { add: async () => undefined, remove: () => undefined },
    screens: { remove: () => undefined },
    attached: { requireWriter: () => undefined, typed: () => undefined, leave: () => undefined },
    type: () => new Promise<void>((resolve) => void waiting.push(resolve)),
    mode: () => 'local',
    hasLeft: () => socket.hasLeft,
    rights: ALL_RIGHTS,
  };
  serveClient(socket as unknown as WebSocket, { output: '0' } as never, parts as unknown as LiveParts);
  const type = (count: number, data = 'x') => {
    const payload = { action: 'terminal:input', terminalId: 'term_a', data };
    for (let id = 0; id < count; id++)
      socket.emit('message', JSON.stringify({ id, type: 'command', payload }), false);
  };
  return { socket, waiting, type };
}

it('reads a client whose commands wait, so that it is seen to leave; what it sent before is carried out', async () => {
  const { socket, waiting, type } = serve();
  await vi.waitFor(() => expect(socket.sent).toHaveLength(1));
  type(200);
  expect(waiting).toHaveLength(64);
  expect(socket.isPaused).toBe(false);
  socket.emit('close', 1000);
  expect(waiting).toHaveLength(200);
});

it.each([true, false])('a connection without a close frame that the client ended: %s', async (hasLeft) => {
  const { socket, waiting, type } = serve();
  await vi.waitFor(() => expect(socket.sent).toHaveLength(1));
  type(100);
  socket.hasLeft = hasLeft;
  socket.terminate();
  expect(waiting).toHaveLength(hasLeft ? 100 : 64);
});

it('keeps a client that is not read since its commands wait, and whose answers to pings are not seen', async () => {
  const { socket, waiting, type } = serve();
  await vi.waitFor(() => expect(socket.sent).toHaveLength(1));
  type(64);
  type(10, 'x'.repeat(60_000));
  expect(waiting).toHaveLength(64);
  expect(socket.isPaused).toBe(true);
  vi.advanceTimersByTime(4 * PINGS_MS);
  expect(socket.isEnded).toBe(false);
  for (const typed of waiting) typed();
  await vi.waitFor(() => expect(waiting).toHaveLength(74));
  for (const typed of waiting) typed();
  await vi.waitFor(() => expect(socket.sent).toHaveLength(75));
  expect(socket.isPaused).toBe(false);
  vi.advanceTimersByTime(3 * PINGS_MS);
  expect(socket.isEnded).toBe(true);
});

it('ends a client that is read, and neither answers a ping nor takes anything', async () => {
  const { socket } = serve();
  await vi.waitFor(() => expect(socket.sent).toHaveLength(1));
  vi.advanceTimersByTime(PINGS_MS);
  socket.emit('pong');
  vi.advanceTimersByTime(PINGS_MS);
  expect(socket.isEnded).toBe(false);
  vi.advanceTimersByTime(PINGS_MS);
  expect(socket.isEnded).toBe(true);
});
