/**
 * The wire protocol between the pty host and its clients (the service and its shards): a stream of frames on a local
 * socket, in the same shape in both directions. All numbers are big-endian.
 *
 *      0        4      5          9
 *      +--------+------+----------+------------------------+
 *      | length | type | terminal | payload                |
 *      | u32    | u8   | u32      | length - 5 bytes       |
 *      +--------+------+----------+------------------------+
 *
 * `length` counts everything after itself; `terminal` is the handle that the host returned at spawn, 0 in a frame
 * about no terminal. Byte payloads are raw, behind the fixed fields listed below; control payloads are JSON.
 * Positions are f64: bytes of a terminal's output (or input, for `written`) since its spawn.
 *
 * How both sides agree on a version and on features is in host-greeting.ts.
 */
import { z } from 'zod';
import type { ErrorCode } from './errors.js';
import { MAX_DIMENSION, MAX_HOST_META_BYTES, MAX_NICE, MIN_DIMENSION } from './limits.js';
import { SignalRequest } from './signal.js';
import type { ExitStatus } from './terminal.js';
import { type HeldLimits, TerminalLimits } from './terminal-limits.js';

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
   * u32 delayMs, u32 length, bytes. The host answers with a reply. It types nothing after the deadline (on the clock of
   * `hrMs`), and nothing that it has typed under this id before.
   */
  type: 8,
  /**
   * service -> host, as `type` up to the id, u32 n, n times u32 handle, then writes as in `type`: types the same into
   * each terminal, in this order. The host answers with one reply.
   */
  typeAll: 9,
  /**
   * host -> service, u32 call, u8 hidden, f64 position: the input of a `type` or `typeAll` of this connection has been
   * written to this terminal, or was dropped when the terminal ended. Sent once for each terminal that accepted the
   * input. `hidden`: the terminal took some of it without echo, as a password, or it was dropped. `position`: the
   * output read before the first of it was written.
   */
  written: 10,

  /** client -> host, u32 token: requests this terminal from its checkpoint on; takes it over from another client. */
  attach: 16,
  /** client -> host, empty: ends the attach. */
  detach: 17,
  /** client -> host, bytes that answer a query of the program; dropped if the program does not read its input. */
  input: 18,
  /** client -> host, u16 cols, u16 rows. */
  resize: 19,
  /** client -> host, f64 position: the client has processed all output before it. */
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
  /** host -> client, u16 cols, u16 rows: the output that follows was read at this size. */
  resized: 34,
  /** host -> client, JSON ExitStatus; follows the last output. */
  exited: 36,
  /** host -> client, empty: the log nears its bound, so a checkpoint is needed. */
  checkpointWanted: 37,
  /** host -> client, u32 token of the attach: the attach ended (killed, forgotten, unknown, or taken over). */
  detached: 38,
} as const;
export type Frame = (typeof Frame)[keyof typeof Frame];

const dimension = z.int().min(MIN_DIMENSION).max(MAX_DIMENSION);
const processString = z.string().refine((text) => !text.includes('\0'), 'must not contain a NUL character');

/** The tmux server of this instance, which the host starts when the first terminal needs it. */
export const TmuxHome = z.object({
  /** Absolute path of tmux. */
  file: processString.min(1),
  /** Name of its socket, as `tmux -L` takes it. */
  socketName: z.string().regex(/^[\w-]+$/),
  /** Lines of scrollback that tmux keeps for the terminal. */
  historyLimit: z.int().min(0),
});
export type TmuxHome = z.infer<typeof TmuxHome>;

export const SpawnRequest = z.object({
  id: z.string(),
  /** Program: a path (relative to `cwd`) or a name to look up on the PATH of `env`. */
  file: processString.min(1),
  args: z.array(processString),
  /** The whole environment; nothing is inherited from the host. */
  env: z.record(z.string(), processString),
  cwd: processString,
  cols: dimension,
  rows: dimension,
  meta: z.string().max(MAX_HOST_META_BYTES),
  /** Nice value of the program; 0, as when absent, leaves it at the host's. */
  nice: z.int().min(0).max(MAX_NICE).optional(),
  /** Limits of the terminal; the answer says which hold. Hosts of releases before this field ignore it. */
  limits: TerminalLimits.optional(),
  /** The tmux server that the terminal lives in; absent for a PTY of the host's own. */
  tmux: TmuxHome.optional(),
});
export type SpawnRequest = z.infer<typeof SpawnRequest>;

const call = z.int().min(1);
export const HostRequest = z.discriminatedUnion('op', [
  /** Returns the terminal of this id if it exists, else starts it; starts none after the deadline. */
  z.object({ call, op: z.literal('spawn'), spawn: SpawnRequest, deadline: z.number() }),
  z.object({ call, op: z.literal('list') }),
  z.object({ call, op: z.literal('kill'), handle: z.int() }),
  /** Asks whether anything was typed into the terminal under this operation id. */
  z.object({ call, op: z.literal('typed'), handle: z.int(), once: z.string() }),
  z.object({ call, op: z.literal('capture'), handle: z.int(), scrollback: z.boolean() }),
  /** Reads what the programs of a terminal have printed so far, without waiting for the event loop. */
  z.object({ call, op: z.literal('readAll'), handle: z.int() }),
  z.object({ call, op: z.literal('signal'), handle: z.int(), ...SignalRequest.shape, deadline: z.number() }),
  /**
   * Feature `renew`: the host replaces its program by `file` with `args`, in place: pid, terminals and exit codes stay. All
   * connections end then, without a reply; a reply says why the program stays. Nothing is replaced after the deadline.
   */
  z.object({
    ...{ call, op: z.literal('renew'), file: processString.min(1), args: z.array(processString) },
    deadline: z.number(),
  }),
  z.object({ call, op: z.literal('shutdown') }),
]);
export type HostRequest = z.infer<typeof HostRequest>;

/** An entry of the answer to `list`. */
export interface HostTerminal {
  handle: number;
  id: string;
  pid: number;
  cols: number;
  rows: number;
  meta: string;
  /** Bytes of output read since the spawn. */
  position: number;
  /** Bytes of input that the program has not read. */
  pendingInput: number;
  /** Set once the program has ended and its last byte has been read. */
  exit: ExitStatus | null;
  /** Which of its limits hold, if any was asked for. */
  limits?: HeldLimits | undefined;
}

export interface SpawnResult extends Pick<HostTerminal, 'limits'> {
  handle: number;
  pid: number;
  /** Meta of the terminal, if it existed already. */
  meta?: string;
}

/** How far a terminal's output has been read. */
export interface ReadUpTo {
  /** Position after the last byte read. */
  position: number;
  /** False while the terminal is paused: its programs may have printed more. */
  isWhole: boolean;
}

/** A terminal's rows and cursor as tmux shows them. */
export interface TmuxCapture {
  /** Each row with its SGR sequences, as `tmux capture-pane -e` prints it. */
  rows: string[];
  /** Row and column on the screen, from 0. */
  cursor: [row: number, column: number];
}

/** Errors of the catalogue that the host answers with. */
export type HostErrorCode = Extract<
  ErrorCode,
  | 'spawn-failed'
  | 'terminal-not-found'
  | 'input-buffer-full'
  | 'invalid-request'
  | 'forbidden'
  | 'no-foreground-job'
  | 'unavailable'
  | 'outcome-unknown'
>;

/** Why one terminal of a `typeAll` was not typed into; `index` is its place among the handles, from 0. */
export interface TypingFailure {
  index: number;
  code: HostErrorCode;
  message: string;
}

/**
 * Answer to a request. The answer to `list` is one `part` for each terminal, then a reply without a part; the answer to
 * `capture` is its rows in pieces, then a reply without rows.
 */
export type HostReply =
  | { call: number; part: HostTerminal }
  | { call: number; value: SpawnResult | null }
  /** The next rows of a capture, before its reply. */
  | { call: number; rows: string[] }
  /** Answers `capture`: null for a terminal that is not on tmux, or has ended. */
  | { call: number; capture: Pick<TmuxCapture, 'cursor'> | null }
  /** Answers `readAll`: null for a terminal that does not exist. */
  | { call: number; read: ReadUpTo | null }
  /** Answers `type` and `typed`: whether input was typed before under the same id. */
  | { call: number; isRepeated: boolean }
  /** Answers `typeAll`: all but `failures` were typed into, at the indexes `repeated` by an earlier request of the same id. */
  | { call: number; failures: TypingFailure[]; repeated: number[] }
  | { call: number; error: { code: HostErrorCode; message: string } };
