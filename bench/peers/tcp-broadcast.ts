// The least that a fan-out can cost: recorded frames, written to each of many sockets at the pace of the recording.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { answerCalls } from '../support/peer-calls.js';
import type { Recording } from './stream-client.js';

const sockets = new Set<Socket>();
const server = createServer({ noDelay: true }, (socket) => {
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  // A client that goes away is no fault of the sender's.
  socket.on('error', () => socket.destroy());
});
let frames: Array<{ bytes: Buffer; atMs: number }> = [];

const calls = {
  /** Reads the recording and listens on a free port, which it gives. */
  async listen(path: string): Promise<number> {
    const bytes = readFileSync(path);
    const recording = JSON.parse(readFileSync(`${path}.json`, 'utf8')) as Recording;
    frames = recording.frames.map(({ end, atMs }, index) => {
      const start = recording.frames[index - 1]?.end ?? 0;
      return { bytes: bytes.subarray(start, end), atMs };
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },

  /** Clients that are connected. */
  clients: (): number => sockets.size,

  /** Writes every frame to every client when its time has come; resolves with the last. */
  async play(): Promise<void> {
    const begin = performance.now();
    for (const { bytes, atMs } of frames) {
      const early = atMs - (performance.now() - begin);
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      for (const socket of sockets) socket.write(bytes);
    }
  },
};

export type TcpBroadcastCalls = typeof calls;
answerCalls(calls);
