// The least cost of a fan-out: writes recorded frames to each of many sockets at the pace of the recording.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { answerCalls } from '../support/peer-calls.js';
import type { Recording } from './stream-client.js';

const sockets = new Set<Socket>();
const server = createServer({ noDelay: true }, (socket) => {
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  // A client that leaves is no error.
  socket.on('error', () => socket.destroy());
});
let frames: Array<{ bytes: Buffer; atMs: number }> = [];

const calls = {
  /** Reads the recording and listens on a free port. Resolves with the port. */
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

  /** Returns the number of connected clients. */
  clients: (): number => sockets.size,

  /** Writes every frame to every client at its recorded time. Resolves after the last frame. */
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
