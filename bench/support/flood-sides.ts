import type { Backend } from '../../src/contract/terminal.js';
import { type Api, createApi } from '../../test/support/http.js';
import { within } from '../../test/support/service.js';
import type { StreamClientCalls } from '../peers/stream-client.js';
import { meteredToRest } from './cpu.js';
import type { Encoding } from './decode.js';
import type { Flood } from './flood-input.js';
import type { Peer } from './peer-calls.js';
import { upgradeRequest } from './raw-socket.js';
import type { Around } from './verify.js';

export type StreamClient = Peer<StreamClientCalls>;

/** Figures of one flood, from the request that starts it to its end. */
export interface Run {
  /** MB/s of terminal output. */
  speed: number;
  /** CPU seconds of the side's processes, including deferred work. */
  cpu: number;
  /** CPU seconds for each GB of terminal output. */
  cpuPerGb: number;
  /** Discarded runs before this run: the client was delayed, and got a screen in place of output. */
  cuts: number;
}

/** A server of terminals: the service, or a server with the same API. */
export interface Server {
  url: string;
  pids: number[];
  /** Whether all output arrives; node-pty may lose the last output. */
  isExact: boolean;
  /** Backend of its terminals, if it has a choice. */
  backend?: Backend;
}

const POLL_MS = 100;
/** Time limit of a flood, which takes seconds on a quiet machine. */
const FLOOD_DEADLINE_MS = 300_000;
/** Text printed after a flood by sides that report its end in no other way. */
export const FLOOD_END = 'that was the flood';
/** Size of a terminal's buffer, and so the most output that node-pty loses at an exit. */
export const LOSSES_BYTES = 64 * 1024;

/** Returns the figures of a run. */
export function runOf(bytes: number, seconds: number, cpu: number): Run {
  return { speed: bytes / 1e6 / seconds, cpu, cpuPerGb: cpu / (bytes / 1e9), cuts: 0 };
}

/** Returns the memory for a received stream: JSON escapes make coloured text half as long again. */
export function roomFor(bytes: number): number {
  return bytes * 2 + 1024 * 1024;
}

/** Runs a flood without a client, and polls for its end. */
export async function unwatched({ url, pids, backend }: Server, { file, bytes }: Flood): Promise<Run> {
  const api = createApi(url, { unchecked: true });
  const { result, seconds, cpu } = await meteredToRest(pids, async () => {
    const id = await startProgram(api, ['cat', file], backend);
    for (const deadline = performance.now() + FLOOD_DEADLINE_MS; performance.now() < deadline; ) {
      const { body } = await api.get<{ status?: string }>(`/api/terminals/${id}`);
      if (body.status === 'exited') return id;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error('the flood did not end in time');
  });
  await api.delete(`/api/terminals/${result}`);
  return runOf(bytes, seconds, cpu);
}

/** Most discarded runs: a busy machine may delay the client until the service cuts it, but not every time. */
const MAX_CUTS = 3;

/**
 * Runs a flood with one WebSocket client. Rejects if the client did not receive the file, byte for byte. Repeats, and
 * counts, a run in which the client was delayed and cut to a screen.
 */
export async function watched(server: Server, flood: Flood, client: StreamClient): Promise<Run> {
  for (let cuts = 0; cuts <= MAX_CUTS; cuts++) {
    const { run, isCut } = await watchedOnce(server, flood, client);
    if (!isCut) return { ...run, cuts };
  }
  throw new Error(`the client could not keep up with ${flood.name} text, ${MAX_CUTS + 1} times in a row`);
}

async function watchedOnce({ url, pids, isExact, backend }: Server, flood: Flood, client: StreamClient) {
  const api = createApi(url, { unchecked: true });
  await openStream(client, url, { keep: roomFor(flood.bytes) });
  const { started, ...taken } = await takenBy(client, flood, {
    ...{ pids, encoding: 'websocket', losable: isExact ? 0 : LOSSES_BYTES },
    start: () => startProgram(api, ['cat', flood.file], backend),
  });
  await api.delete(`/api/terminals/${started}`);
  return taken;
}

interface Watched<T> extends Check {
  /** Processes whose CPU counts. */
  pids: readonly number[];
  /** How the client receives the output. */
  encoding: Encoding;
  /** Starts the flood. */
  start: () => Promise<T>;
}

/**
 * Measures one flood from its start until the connected client has all of it. Then compares the received bytes with the
 * file, and closes the client.
 */
export async function takenBy<T>(
  client: StreamClient,
  flood: Flood,
  { pids, encoding, start, ...check }: Watched<T>,
): Promise<{ run: Run; isCut: boolean; started: T }> {
  const { result, seconds, cpu } = await meteredToRest(pids, async () => {
    const started = await start();
    await streamEnd(client);
    return started;
  });
  const isCut = await checkOutput(client, encoding, flood, check);
  await client.call('close');
  return { run: runOf(flood.bytes, seconds, cpu), isCut, started: result };
}

interface StreamOptions {
  keep: number;
  count?: number;
  bytesPerSecond?: number;
}

/** Connects WebSocket clients to the live stream. Resolves when all have got the welcome. */
export async function openStream(client: StreamClient, url: string, options: StreamOptions): Promise<void> {
  const port = Number(new URL(url).port);
  const request = upgradeRequest(port, '/ws?events=lifecycle');
  await client.call('open', { port, request, ready: '"welcome"', end: '"terminal.exited"', ...options });
}

/** Starts a program in a terminal and resolves with its id. The server chooses the backend unless one is given. */
export async function startProgram(api: Api, command: string[], backend?: Backend): Promise<string> {
  const request = { command, ...(backend && { backend }) };
  const { status, body } = await api.post<{ id: string; error?: string }>('/api/terminals', request);
  if (status !== 200) throw new Error(`create answered ${status}: ${body.error}`);
  return body.id;
}

/** Resolves when the client has received the end of the stream. */
export function streamEnd(client: StreamClient): Promise<void> {
  return inTime(client.call('ended'));
}

/** Resolves with the result of the work; rejects after FLOOD_DEADLINE_MS. */
export function inTime<T>(work: Promise<T>): Promise<T> {
  return within(FLOOD_DEADLINE_MS, work, () => 'the flood did not end in time');
}

interface Check extends Partial<Around> {
  /** Bytes that may be missing at the end. */
  losable?: number;
}

/**
 * Rejects if the client did not receive the file and the text printed around it, byte for byte. Resolves with true for
 * a client that was cut to a screen, whose bytes cannot be compared.
 */
async function checkOutput(
  client: StreamClient,
  encoding: Encoding,
  { name, file, bytes }: Flood,
  { losable = 0, head = '', tail = '' }: Check = {},
): Promise<boolean> {
  const verdict = await client.call('verify', encoding, file, { head, tail });
  if (verdict.isCut) return true;
  const missing = head.length + bytes + tail.length - verdict.bytes;
  if (verdict.wrongAt !== undefined || missing < 0 || missing > losable) {
    const wrong = verdict.wrongAt === undefined ? '' : `; wrong from byte ${verdict.wrongAt} on`;
    throw new Error(`${missing} of ${bytes} bytes of ${name} text are missing${wrong}`);
  }
  return false;
}
