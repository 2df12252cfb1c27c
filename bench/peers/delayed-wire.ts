// Relays of TCP connections that delay all bytes by the same time in both directions, in order and at any rate, as a long
// line does. In a process of their own, so that no other work of the bench delays them further.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { answerCalls } from '../support/peer-calls.js';

/** A timer is late by half a millisecond in the mean. */
const LATE_MS = 0.5;

const calls = {
  /** Opens a way to a port of this machine, delayed by `ms` in each direction; resolves with the port to connect to. */
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

  /** Opens a port that sends back what it gets. */
  async echo(): Promise<number> {
    const server = createServer((socket) => socket.pipe(socket).on('error', () => socket.destroy()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },
};
export type DelayedWireCalls = typeof calls;

/** Passes on what comes, and the end, after the delay. Reads without a pause: the line holds whatever is on it. */
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
  // A broken connection breaks the other as late as its bytes would have come.
  from.on('error', () => undefined);
  from.on('close', () => put(() => to.destroy()));
}

answerCalls(calls);
