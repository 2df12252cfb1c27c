// Relays TCP connections, and delays all bytes by the same time in both directions, in order and at any rate, like a
// long line. Runs in a process of its own, so that no other work of the bench delays the bytes further.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { answerCalls } from '../support/peer-calls.js';

/** Average lateness of a timer. */
const LATE_MS = 0.5;

const calls = {
  /** Opens a relay to a port of this machine, delayed by `ms` in each direction. Resolves with the relay's port. */
  async open(port: number, ms: number): Promise<number> {
    const server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      delayed(near, far, ms);
      delayed(far, near, ms);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },

  /** Opens a port that sends back all bytes. Resolves with the port. */
  async echo(): Promise<number> {
    const server = createServer((socket) => socket.pipe(socket).on('error', () => socket.destroy()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },
};
export type DelayedWireCalls = typeof calls;

/** Passes on all bytes, and the end, after the delay. Never pauses its reading: the line holds any number of bytes. */
function delayed(from: Socket, to: Socket, ms: number): void {
  const line: { at: number; pass: () => void }[] = [];
  let isWaiting = false;
  const wait = (time: number) => {
    isWaiting = true;
    setTimeout(drain, time);
  };
  const drain = () => {
    isWaiting = false;
    const now = performance.now() + LATE_MS;
    while (line[0] && line[0].at <= now) line.shift()?.pass();
    if (line[0]) wait(line[0].at - now);
  };
  const put = (pass: () => void) => {
    line.push({ at: performance.now() + ms, pass });
    if (!isWaiting) wait(ms - LATE_MS);
  };
  from.setNoDelay(true);
  from.on('data', (data) => put(() => to.write(data)));
  // A broken connection breaks the other connection after the same delay.
  from.on('error', () => undefined);
  from.on('close', () => put(() => to.destroy()));
}

answerCalls(calls);
