// Clients of a stream, in a process of their own, so that only the sender is measured.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Arena } from '../support/arena.js';
import { bodyStart, decode, type Encoding, framesOf } from '../support/decode.js';
import { Marker } from '../support/marker.js';
import { answerCalls } from '../support/peer-calls.js';
import { RawSocket, type RawSocketOptions } from '../support/raw-socket.js';
import { type Around, type Verdict, verify } from '../support/verify.js';

type Opening = Omit<RawSocketOptions, 'onRead'> & {
  /** Number of clients; 1 when absent. */
  count?: number;
  /** Most bytes that one client keeps; 0 to keep nothing. */
  keep: number;
};

/** A recorded stream: `<path>` holds its bytes, `<path>.json` this object. */
export interface Recording {
  /** For each frame the offset of its end, and the milliseconds from the first frame to its arrival. */
  frames: Array<{ end: number; atMs: number }>;
}

const arena = new Arena();
/** For each read the bytes received by its end, and its time. */
const reads: Array<{ end: number; atMs: number }> = [];
let clients: Array<{ ended: Promise<unknown>; close(): Promise<unknown> }> = [];

const calls = {
  /** Connects the clients. Resolves when each client's stream has begun. */
  async open({ count = 1, keep, ...options }: Opening): Promise<void> {
    arena.reset(keep);
    reads.length = 0;
    const onRead = () => {
      if (keep > 0) reads.push({ end: arena.length, atMs: performance.now() });
    };
    const opening = Array.from({ length: count }, () => RawSocket.open(arena, { ...options, onRead }));
    clients = await Promise.all(opening);
  },

  /** Starts a client program and looks for the text `end` in its output. Resolves once tmux has printed `%end`. */
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
    const ended = Promise.race([marker.seen, gone]);
    // A failure is an error only for a caller that waits for the end.
    ended.catch(() => {});
    clients = [{ ended, close }];
    await Promise.race([ready.seen, gone]);
  },

  /** Resolves when all clients have received the end of the stream. */
  async ended(): Promise<void> {
    await Promise.all(clients.map(({ ended }) => ended));
  },

  /** Returns the bytes received by all clients together, including everything around the output. */
  received: (): number => arena.length,

  /** Compares the bytes that one client has kept with the printed file, and the text printed around it. */
  verify: (encoding: Encoding, file: string, around: Around): Verdict =>
    verify(file, around, decode(encoding, arena.bytes)),

  /** Writes the frames that one WebSocket client has received to a file. Returns the bytes of output in them. */
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
