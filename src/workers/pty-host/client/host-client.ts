import type { Socket } from 'node:net';
import { DomainError } from '../../../contract/errors.js';
import type { Introduction, Welcome } from '../../../contract/host-greeting.js';
import {
  Frame,
  type HostReply,
  type HostRequest,
  type HostTerminal,
  type ReadUpTo,
  type SpawnRequest,
  type SpawnResult,
  type TmuxCapture,
} from '../../../contract/host-protocol.js';
import {
  CALL_DEADLINE_MS,
  CLOSE_GRACE_MS,
  KILL_GRACE_MS,
  MAX_HOST_META_BYTES,
} from '../../../contract/limits.js';
import type { SignalRequest } from '../../../contract/signal.js';
import type { InputPart } from '../../../contract/terminal.js';
import { checkpointPieces, type NextCheckpoint } from '../wire/checkpoint-frame.js';
import { encodeFields, encodeFrame, parseJson } from '../wire/framing.js';
import { greetHost } from '../wire/handshake.js';
import { ChangingCalls, requestFrame, type TypedTogether } from './changing-calls.js';
import { HostCalls } from './host-calls.js';
import { Readings } from './readings.js';
import type { TerminalSink } from './terminal-sink.js';
import type { OnWritten } from './unwritten.js';

export type { HostTerminal, SpawnRequest } from '../../../contract/host-protocol.js';
export { HostBusy, HostUnreachable } from './host-errors.js';

/** How long the host may take to end: the grace period of its processes, and the time for its own work. */
const SHUTDOWN_DEADLINE_MS = KILL_GRACE_MS + 8_000;

/** One connection to the pty host. */
export class HostConnection {
  readonly hostPid: number;
  /** Release of the host, as in `VERSION`; undefined for a host before 0.1.0. */
  readonly hostVersion: string | undefined;
  /** Names of the host's features beyond the oldest protocol; see `HostFeature`. */
  readonly features: ReadonlySet<string>;
  readonly tmuxFolder: Welcome['tmuxFolder'];
  /** Resolves when the connection has ended, for whatever reason. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #calls: HostCalls;
  readonly #changing: ChangingCalls;
  readonly #readings = new Readings();

  /** Connects; rejects with HostUnreachable, HostBusy or HostProtocolMismatch. Calls settle soon after `deadlineMs`. */
  static async connect(
    socketPath: string,
    introduction: Introduction,
    deadlineMs = CALL_DEADLINE_MS,
  ): Promise<HostConnection> {
    const { socket, welcome, onFrame } = await greetHost(socketPath, introduction);
    const connection = new HostConnection(socket, welcome, deadlineMs);
    onFrame((type, terminal, payload) => connection.#frame(type, terminal, payload));
    return connection;
  }

  private constructor(socket: Socket, { pid, version, features, tmuxFolder }: Welcome, deadlineMs: number) {
    this.#socket = socket;
    this.#calls = new HostCalls(deadlineMs);
    this.#changing = new ChangingCalls({
      calls: this.#calls,
      send: (bytes) => this.#send(bytes),
    });
    this.hostPid = pid;
    this.hostVersion = version;
    this.features = new Set(features);
    this.tmuxFolder = tmuxFolder;
    this.closed = new Promise((resolve) => {
      const end = () => {
        this.#calls.end(new DomainError('unavailable', 'the connection to the pty host has ended'));
        this.#readings.clear();
        resolve();
      };
      if (socket.destroyed) end();
      else socket.once('close', end);
    });
  }

  /** See {@link ChangingCalls.spawn}. By default, a late terminal is killed. */
  spawn(
    spawn: SpawnRequest,
    late: (spawned: SpawnResult) => void = ({ handle }) => void this.kill(handle).catch(() => {}),
  ): Promise<SpawnResult> {
    return this.#changing.spawn(spawn, late);
  }

  /** See {@link ChangingCalls.type}. */
  type(handle: number, parts: readonly InputPart[], once = '', onWritten?: OnWritten): Promise<boolean> {
    return this.#changing.type(handle, parts, once, onWritten);
  }

  /** See {@link ChangingCalls.typeAll}. */
  typeAll(
    handles: readonly number[],
    parts: readonly InputPart[],
    once = '',
    onWritten?: OnWritten,
  ): Promise<TypedTogether> {
    return this.#changing.typeAll(handles, parts, once, onWritten);
  }

  /** See {@link ChangingCalls.signal}. */
  signal(handle: number, request: SignalRequest): Promise<void> {
    return this.#changing.signal(handle, request);
  }

  /** Returns whether anything was typed into the terminal under this operation id. */
  async wasTyped(handle: number, once: string): Promise<boolean> {
    return (await this.#call({ op: 'typed', handle, once })).isRepeated;
  }

  /** Lists all terminals that have been neither killed nor forgotten. */
  async list(): Promise<HostTerminal[]> {
    return (await this.#call({ op: 'list' })).parts;
  }

  /**
   * Resolves when the terminal is out of the list and its program's group has been sent SIGHUP, which its other
   * processes get within a quarter of a second. Also resolves for an unknown terminal.
   */
  async kill(handle: number): Promise<void> {
    await this.#call({ op: 'kill', handle });
  }

  /** Returns what tmux shows of the terminal; null if it is not, or no longer, on tmux. Rejects with `unavailable`. */
  async capture(handle: number, scrollback: boolean): Promise<TmuxCapture | null> {
    return (await this.#call({ op: 'capture', handle, scrollback })).capture;
  }

  /** Makes the host read all output of the terminal's programs so far; null if the terminal does not exist. */
  async readAll(handle: number): Promise<ReadUpTo | null> {
    return (await this.#call({ op: 'readAll', handle })).read;
  }

  /**
   * Has the host replace its program by `file` with `args`; resolves when that has ended this connection. Rejects with
   * `unavailable` and the reason if the host stays as it is. Needs the feature `renew`.
   */
  async renew(file: string, args: string[]): Promise<void> {
    try {
      await this.#calls.start('renew', (call, deadline) =>
        this.#send(requestFrame({ call, op: 'renew', file, args, deadline })),
      );
    } catch (error) {
      // The connection ends without a reply when the program is replaced.
      if (!this.#socket.destroyed) throw error;
    }
  }

  /** Replaces the terminal's meta. Throws DomainError `invalid-request` for more than MAX_HOST_META_BYTES. */
  setMeta(handle: number, meta: string): void {
    const bytes = Buffer.from(meta);
    if (bytes.length > MAX_HOST_META_BYTES) throw new DomainError('invalid-request', 'meta is too long');
    this.#send(encodeFrame(Frame.meta, handle, bytes));
  }

  /**
   * Resolves once the host has taken all that was sent about a terminal before; rejects with `unavailable`. The host takes the
   * frames of a connection in order, so that its answer to any later request says so.
   */
  async hasTaken(handle: number): Promise<void> {
    await this.wasTyped(handle, '');
  }

  /** Makes the host forget an exited terminal; does nothing to a running terminal. */
  forget(handle: number): void {
    this.#send(encodeFrame(Frame.forget, handle, EMPTY));
  }

  /** Ends all programs and the host; resolves when the host has closed the connection. */
  async shutdown(): Promise<void> {
    this.#call({ op: 'shutdown' }).catch(() => {});
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new DomainError('unavailable', 'the pty host did not end');
      timer = setTimeout(() => reject(error), SHUTDOWN_DEADLINE_MS);
    });
    await Promise.race([this.closed, late]).finally(() => clearTimeout(timer));
  }

  /** Starts the stream at the checkpoint; an earlier sink of this terminal gets nothing more. */
  attach(handle: number, sink: TerminalSink): void {
    const token = this.#readings.start(handle, sink);
    this.#send(encodeFrame(Frame.attach, handle, encodeFields([['u32', token]])));
  }

  detach(handle: number): void {
    if (this.#readings.end(handle)) this.#send(encodeFrame(Frame.detach, handle, EMPTY));
  }

  /** Sends an answer to a query of the program; the host drops it if the program does not read. */
  input(handle: number, bytes: Uint8Array): void {
    this.#send(encodeFrame(Frame.input, handle, bytes));
  }

  resize(handle: number, cols: number, rows: number): void {
    const size = encodeFields([
      ['u16', cols],
      ['u16', rows],
    ]);
    this.#send(encodeFrame(Frame.resize, handle, size));
  }

  /** Confirms that all output before `position` has been taken in, which permits more. */
  confirm(handle: number, position: number): void {
    this.#send(encodeFrame(Frame.confirm, handle, encodeFields([['f64', position]])));
  }

  /**
   * Moves the checkpoint: the host forgets the output before it. Throws for a checkpoint that is too long for the host.
   */
  checkpoint(handle: number, next: NextCheckpoint): void {
    const pieces = checkpointPieces(handle, next);
    this.#socket.cork();
    for (const piece of pieces) this.#send(piece);
    this.#socket.uncork();
  }

  /** Sends the queued bytes and then ends the connection, at the latest after CLOSE_GRACE_MS. */
  close(): void {
    this.#socket.destroySoon();
    setTimeout(() => this.#socket.destroy(), CLOSE_GRACE_MS).unref();
  }

  #call(request: HostRequest extends infer R ? (R extends unknown ? Omit<R, 'call'> : never) : never) {
    return this.#calls.start(request.op, (call) =>
      this.#send(requestFrame({ call, ...request } as HostRequest)),
    );
  }

  #send(bytes: Uint8Array): void {
    if (!this.#socket.destroyed && bytes.length > 0) this.#socket.write(bytes);
  }

  #frame(type: number, handle: number, payload: Buffer): void {
    if (type === Frame.reply) this.#calls.reply(parseJson(payload) as HostReply);
    else if (type === Frame.written) this.#changing.written(handle, payload);
    else this.#readings.frame(type, handle, payload);
  }
}

const EMPTY = Buffer.alloc(0);
