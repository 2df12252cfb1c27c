// Clients of a stream, in a process of their own: whoever sends shall be what is measured.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Arena } from '../support/arena.js';
import { bodyStart, decode, type Encoding, framesOf } from '../support/decode.js';
import { Marker } from '../support/marker.js';
import { answerCalls } from '../support/peer-calls.js';
import { RawSocket, type RawSocketOptions } from '../support/raw-socket.js';
import { type Around, type Verdict, verify } from '../support/verify.js';

type Opening = Omit<RawSocketOptions, 'onRead'> & {
  /** How many such clients; one without a number. */
  count?: number;
  /** Bytes to keep of what one client receives, 0 to keep nothing. */
  keep: number;
};

/** A recorded stream: `<path>` has its bytes, `<path>.json` this. */
export interface Recording {
  /** Where each frame ends in the bytes, and the milliseconds after the first at which it had come. */
  frames: Array<{ end: number; atMs: number }>;
}

const arena = new Arena();
/** Bytes received by the end of each read, and when. */
const reads: Array<{ end: number; atMs: number }> = [];
let clients: Array<{ ended: Promise<unknown>; close(): Promise<unknown> }> = [];

const calls = {
  /** Connects; resolves when each client's stream has begun. */
  async open({ count = 1, keep, ...options }: Opening): Promise<void> {
    arena.reset(keep);
    reads.length = 0;
    const onRead = () => {
      if (keep > 0) reads.push({ end: arena.length, atMs: performance.now() });
    };
    const opening = Array.from({ length: count }, () => RawSocket.open(arena, { ...options, onRead }));
    clients = await Promise.all(opening);
  },

  /** Runs a client program and reads what it prints, from the beginning until the text near its end. */
  async run(
    program: string,
    args: string[],
    env: NodeJS.ProcessEnv,
    end: string,
    keep: number,
  ): Promise<void> {
    arena.reset(keep);
    const marker = new Marker(end);
    const ready = new Marker('%end');
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdout.on('data', (bytes: Buffer) => {
      ready.look(bytes, bytes.length);
      marker.look(bytes, bytes.length);
      arena.take(bytes);
    });
    const gone = new Promise<never>((_resolve, reject) => {
      child.on('exit', () => reject(new Error(`${program} ended early`)));
    });
    gone.catch(() => {});
    const close = async () => {
      child.kill('SIGKILL');
      await gone.catch(() => {});
    };
    clients = [{ ended: Promise.race([marker.seen, gone]), close }];
    await Promise.race([ready.seen, gone]);
  },

  /** Resolves when the end of the stream has come to all clients. */
  async ended(): Promise<void> {
    await Promise.all(clients.map(({ ended }) => ended));
  },

  /** Bytes received by all clients together, with everything around the output. */
  received: (): number => arena.length,

  /** Holds what one client has kept against the file that was printed, and what was printed around it. */
  verify: (encoding: Encoding, file: string, around: Around): Verdict =>
    verify(file, around, decode(encoding, arena.bytes)),

  /** Writes what one WebSocket client has received, frame by frame, to a file. Gives the bytes of output in it. */
  record(path: string): number {
    const { bytes } = arena;
    const start = bodyStart(bytes);
    const frames: Recording['frames'] = [];
    let read = 0;
    for (const { end } of framesOf(bytes, start)) {
      while (reads[read]!.end < end) read++;
      frames.push({ end: end - start, atMs: reads[read]!.atMs });
    }
    const first = frames[0]?.atMs ?? 0;
    for (const frame of frames) frame.atMs -= first;
    writeFileSync(path, bytes.subarray(start));
    writeFileSync(`${path}.json`, JSON.stringify({ frames } satisfies Recording));
    return [...decode('websocket', bytes)].reduce((sum, { length }) => sum + length, 0);
  },

  async close(): Promise<void> {
    await Promise.all(clients.map((client) => client.close()));
    clients = [];
  },
};

export type StreamClientCalls = typeof calls;
answerCalls(calls);
