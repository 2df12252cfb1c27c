/**
 * The wire between the pty host and its clients (the service and its shards): a stream of frames on a local
 * socket, the same shape in both directions. All numbers are big-endian.
 *
 *      0        4      5          9
 *      +--------+------+----------+------------------------+
 *      | length | type | terminal | payload                |
 *      | u32    | u8   | u32      | length - 5 bytes       |
 *      +--------+------+----------+------------------------+
 *
 * `length` counts everything after itself; `terminal` is the handle the host gave at spawn, 0 where a frame
 * concerns none. Byte payloads are raw, behind the fixed fields listed below; control payloads are JSON.
 * Positions are f64: bytes of a terminal's output (or input, for `written`) since its spawn.
 *
 * `hello`, `welcome` and `refused` keep their numbers and the field `protocol` in every version, so that two
 * versions can always tell each other apart.
 *
 * Version 1: the first.
 * Version 2: `typeAll`.
 * Version 3: terminals on tmux, and `capture`.
 * Version 4: `type`, `typeAll` and `spawn` carry a deadline, and typing the id of its operation; `typed`.
 * Version 5: nice values.
 * Version 6: `written`.
 */
import { z } from 'zod';
import type { ErrorCode } from './errors.js';
import { MAX_DIMENSION, MAX_HOST_META_BYTES, MAX_NICE, MIN_DIMENSION } from './limits.js';
import type { ExitStatus } from './terminal.js';

export const HOST_PROTOCOL_VERSION = 6;

export const FRAME_LENGTH_BYTES = 4;
export const FRAME_HEADER_BYTES = 9;

export const Frame = {
  /** client -> host, JSON {@link Hello}: must be the first frame. */
  hello: 1,
  /** host -> client, JSON {@link Welcome}. */
  welcome: 2,
  /** host -> client, JSON {@link Refused}; the host closes the connection after it. */
  refused: 3,
  /** service -> host, JSON {@link HostRequest}. */
  request: 4,
  /** host -> service, JSON {@link HostReply}. */
  reply: 5,
  /** service -> host, UTF-8 text: replaces the terminal's meta. */
  meta: 6,
  /** service -> host, empty: drop an exited terminal. */
  forget: 7,
  /**
   * service -> host, u32 call, f64 deadline, u16 length and id of the operation (empty: none), then for each write
   * u32 delayMs, u32 length, bytes; answered by a reply. A host that reads it after the deadline (on the clock of
   * `hrMs`) does not type it; what it has typed under this id before, it does not type again.
   */
  type: 8,
  /**
   * service -> host, as `type` up to the id, u32 n, n times u32 handle, then writes as in `type`: the same into each,
   * in this order; answered by one reply.
   */
  typeAll: 9,
  /**
   * host -> service, u32 call, u8 hidden, f64 position: what a `type` or `typeAll` of this connection typed into this
   * terminal has been written, or was dropped at its end; once for each terminal that it was accepted for.
   */
  written: 10,

  /** client -> host, u32 token: send this terminal from its checkpoint on; takes over from another client. */
  attach: 16,
  /** client -> host, empty. */
  detach: 17,
  /** client -> host, bytes that answer a query of the program: dropped where nobody reads. */
  input: 18,
  /** client -> host, u16 cols, u16 rows. */
  resize: 19,
  /** client -> host, f64 position: all output before it has been taken in. */
  confirm: 20,
  /** client -> host, f64 position, u16 cols, u16 rows, bytes. */
  checkpoint: 21,

  /**
   * host -> client, u32 token of the attach, f64 position, f64 end of the replay, f64 confirmed,
   * u16 cols, u16 rows, bytes.
   */
  restore: 32,
  /** host -> client, output bytes. */
  output: 33,
  /** host -> client, u16 cols, u16 rows: output after it was read at this size. */
  resized: 34,
  /** host -> client, JSON ExitStatus: after the last output. */
  exited: 36,
  /** host -> client, empty: the log nears its bound. */
  checkpointWanted: 37,
  /** host -> client, u32 token of the attach: it has ended (killed, forgotten, unknown, or taken over). */
  detached: 38,
} as const;
export type Frame = (typeof Frame)[keyof typeof Frame];

/** First read of any hello: enough to refuse another version. */
export const AnyHello = z.object({ protocol: z.int() });

export const Hello = z.object({
  protocol: z.literal(HOST_PROTOCOL_VERSION),
  role: z.enum(['service', 'shard']),
  instanceId: z.string().max(256),
  /** Milliseconds that terminals outlive their service. */
  orphanMs: z.int().min(0).optional(),
});
export type Hello = z.infer<typeof Hello>;

export const Welcome = z.object({ protocol: z.int(), pid: z.int() });

export const Refused = z.discriminatedUnion('reason', [
  /** Another service is connected. */
  z.object({ reason: z.literal('busy'), protocol: z.int(), instanceId: z.string() }),
  z.object({ reason: z.literal('protocol'), protocol: z.int() }),
  z.object({ reason: z.literal('invalid'), protocol: z.int() }),
]);
export type Refused = z.infer<typeof Refused>;

const dimension = z.int().min(MIN_DIMENSION).max(MAX_DIMENSION);
const processString = z.string().refine((text) => !text.includes('\0'), 'must not contain a NUL character');

/** The tmux server of this instance, which the host starts when the first terminal needs it. */
export const TmuxHome = z.object({
  /** Absolute path of tmux. */
  file: processString.min(1),
  /** Of its socket, as `tmux -L` takes it. */
  socketName: z.string().regex(/^[\w-]+$/),
  /** Lines of scrollback that tmux keeps of the terminal. */
  historyLimit: z.int().min(0),
});
export type TmuxHome = z.infer<typeof TmuxHome>;

export const SpawnRequest = z.object({
  id: z.string(),
  /** Program: a path (a relative one counts from `cwd`) or a name to look up on the PATH of `env`. */
  file: processString.min(1),
  args: z.array(processString),
  /** The whole environment; nothing is inherited from the host. */
  env: z.record(z.string(), processString),
  cwd: processString,
  cols: dimension,
  rows: dimension,
  meta: z.string().max(MAX_HOST_META_BYTES),
  /** Nice value of the program; 0 when absent: as the host's. */
  nice: z.int().min(0).max(MAX_NICE).optional(),
  /** Where the terminal lives in tmux; without it, on a PTY of the host's own. */
  tmux: TmuxHome.optional(),
});
export type SpawnRequest = z.infer<typeof SpawnRequest>;

const call = z.int().min(1);
export const HostRequest = z.discriminatedUnion('op', [
  /** The terminal of this id, where there is one. A host that has not started it by the deadline starts none. */
  z.object({ call, op: z.literal('spawn'), spawn: SpawnRequest, deadline: z.number() }),
  z.object({ call, op: z.literal('list') }),
  z.object({ call, op: z.literal('kill'), handle: z.int() }),
  /** Whether anything was typed into the terminal under this id of an operation. */
  z.object({ call, op: z.literal('typed'), handle: z.int(), once: z.string() }),
  z.object({ call, op: z.literal('capture'), handle: z.int(), scrollback: z.boolean() }),
  z.object({ call, op: z.literal('shutdown') }),
]);
export type HostRequest = z.infer<typeof HostRequest>;

/** What `list` tells of a terminal. */
export interface HostTerminal {
  handle: number;
  id: string;
  pid: number;
  cols: number;
  rows: number;
  meta: string;
  /** Bytes of output read since spawn. */
  position: number;
  /** Bytes of input that the program has not read. */
  pendingInput: number;
  /** Set once the program has ended and its last byte has been read. */
  exit: ExitStatus | null;
}

export interface SpawnResult {
  handle: number;
  pid: number;
  /** Of a terminal that was there already. */
  meta?: string;
}

/** What tmux shows of a terminal. */
export interface TmuxCapture {
  /** Each row with its SGR sequences, as `tmux capture-pane -e` prints it. */
  rows: string[];
  /** Row and column on the screen, from 0. */
  cursor: [row: number, column: number];
}

/** Which of the errors of the catalogue the host answers. */
export type HostErrorCode = Extract<
  ErrorCode,
  | 'spawn-failed'
  | 'terminal-not-found'
  | 'input-buffer-full'
  | 'invalid-request'
  | 'forbidden'
  | 'unavailable'
>;

/** Why one terminal of a `typeAll` was not typed into; `index` counts its handles. */
export interface TypingFailure {
  index: number;
  code: HostErrorCode;
  message: string;
}

/** Answer to a request. A list comes as one `part` for each terminal, then the reply without one; a capture by its rows. */
export type HostReply =
  | { call: number; part: HostTerminal }
  | { call: number; value: SpawnResult | null }
  /** The next rows of a capture, before its reply. */
  | { call: number; rows: string[] }
  /** To `capture`: null for a terminal that is not on tmux, or not any more. */
  | { call: number; capture: Pick<TmuxCapture, 'cursor'> | null }
  /** To `type` and `typed`: whether it was typed before, under the same id. */
  | { call: number; isRepeated: boolean }
  /** To `typeAll`: into the others it was typed, at indexes `repeated` before, under the same id. */
  | { call: number; failures: TypingFailure[]; repeated: number[] }
  | { call: number; error: { code: HostErrorCode; message: string } };
