import type { Socket } from 'node:net';
import { DomainError } from '../../contract/errors.js';
import {
  Frame,
  type Hello,
  type HostReply,
  type HostRequest,
  type HostTerminal,
  type SpawnRequest,
  type SpawnResult,
  type TmuxCapture,
} from '../../contract/host-protocol.js';
import {
  CALL_DEADLINE_MS,
  CLOSE_GRACE_MS,
  KILL_GRACE_MS,
  MAX_HOST_FRAME_BYTES,
  MAX_HOST_META_BYTES,
} from '../../contract/limits.js';
import type { InputPart } from '../../contract/terminal.js';
import { ChangingCalls, requestFrame, type TypedTogether } from './changing-calls.js';
import { encodeFields, encodeFrame, FieldReader, frameHeader, parseJson } from './framing.js';
import { greetHost } from './handshake.js';
import { HostCalls } from './host-calls.js';
import { deliver, type TerminalSink } from './terminal-sink.js';
import type { OnWritten } from './unwritten.js';

export type { HostTerminal, SpawnRequest } from '../../contract/host-protocol.js';
export { HostBusy, HostProtocolMismatch, HostUnreachable } from './host-errors.js';

interface Reading {
  sink: TerminalSink;
  token: number;
  /** Frames before the answer to this attach belong to an earlier one. */
  restored: boolean;
}

/** What the host needs beyond its own deadline to end itself. */
const SHUTDOWN_DEADLINE_MS = KILL_GRACE_MS + 8_000;

/** One connection to the pty host. */
export class HostConnection {
  readonly hostPid: number;
  /** Resolves when the connection has ended, for whatever reason. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #calls: HostCalls;
  readonly #changing: ChangingCalls;
  readonly #readings = new Map<number, Reading>();
  #lastToken = 0;

  /** Rejects with HostUnreachable, HostBusy or HostProtocolMismatch. Its calls end soon after `deadlineMs`. */
  static async connect(
    socketPath: string,
    hello: Omit<Hello, 'protocol'>,
    deadlineMs = CALL_DEADLINE_MS,
  ): Promise<HostConnection> {
    const { socket, hostPid, onFrame } = await greetHost(socketPath, hello);
    const connection = new HostConnection(socket, hostPid, deadlineMs);
    onFrame((type, terminal, payload) => connection.#frame(type, terminal, payload));
    return connection;
  }

  private constructor(socket: Socket, hostPid: number, deadlineMs: number) {
    this.#socket = socket;
    this.#calls = new HostCalls(deadlineMs);
    this.#changing = new ChangingCalls({
      calls: this.#calls,
      send: (bytes) => this.#send(bytes),
      kill: (handle) => this.kill(handle),
    });
    this.hostPid = hostPid;
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

  /** See {@link ChangingCalls.spawn}. */
  spawn(spawn: SpawnRequest): Promise<SpawnResult> {
    return this.#changing.spawn(spawn);
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

  /** Whether anything was typed into the terminal under this id of an operation. */
  async wasTyped(handle: number, once: string): Promise<boolean> {
    return (await this.#call({ op: 'typed', handle, once })).isRepeated;
  }

  /** All terminals that have been neither killed nor forgotten. */
  async list(): Promise<HostTerminal[]> {
    return (await this.#call({ op: 'list' })).parts;
  }

  /**
   * Resolves when the terminal is out of the list and its program's group has got SIGHUP, which its other processes get
   * within a quarter of a second; also for an unknown one.
   */
  async kill(handle: number): Promise<void> {
    await this.#call({ op: 'kill', handle });
  }

  /** What tmux shows of the terminal; null for one that is not on tmux, or not any more. Rejects with DomainError `unavailable`. */
  async capture(handle: number, scrollback: boolean): Promise<TmuxCapture | null> {
    return (await this.#call({ op: 'capture', handle, scrollback })).capture;
  }

  /** Throws DomainError `invalid-request` for more than MAX_HOST_META_BYTES. */
  setMeta(handle: number, meta: string): void {
    const bytes = Buffer.from(meta);
    if (bytes.length > MAX_HOST_META_BYTES) throw new DomainError('invalid-request', 'meta is too long');
    this.#send(encodeFrame(Frame.meta, handle, bytes));
  }

  /** Drops what the host keeps of an exited terminal; nothing happens to one that runs. */
  forget(handle: number): void {
    this.#send(encodeFrame(Frame.forget, handle, EMPTY));
  }

  /** Ends all programs and the host; resolves when it has closed the connection. */
  async shutdown(): Promise<void> {
    this.#call({ op: 'shutdown' }).catch(() => {});
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new DomainError('unavailable', 'the pty host does not end');
      timer = setTimeout(() => reject(error), SHUTDOWN_DEADLINE_MS);
    });
    await Promise.race([this.closed, late]).finally(() => clearTimeout(timer));
  }

  /** The stream from the checkpoint on; an earlier sink of this terminal gets nothing more. */
  attach(handle: number, sink: TerminalSink): void {
    this.#lastToken += 1;
    this.#readings.set(handle, { sink, token: this.#lastToken, restored: false });
    this.#send(encodeFrame(Frame.attach, handle, encodeFields([['u32', this.#lastToken]])));
  }

  detach(handle: number): void {
    if (this.#readings.delete(handle)) this.#send(encodeFrame(Frame.detach, handle, EMPTY));
  }

  /** Answers a query of the program; dropped where nobody reads. */
  input(handle: number, bytes: Uint8Array): void {
    this.#send(encodeFrame(Frame.input, handle, bytes));
  }

  resize(handle: number, cols: number, rows: number): void {
    this.#send(
      encodeFrame(
        Frame.resize,
        handle,
        encodeFields([
          ['u16', cols],
          ['u16', rows],
        ]),
      ),
    );
  }

  /** All output before `position` has been taken in: credit for more. */
  confirm(handle: number, position: number): void {
    this.#send(encodeFrame(Frame.confirm, handle, encodeFields([['f64', position]])));
  }

  /** Moves the checkpoint: the host forgets the output before it. Throws for one that the host would not take. */
  checkpoint(
    handle: number,
    next: { position: number; cols: number; rows: number; bytes: Uint8Array },
  ): void {
    const fields = encodeFields([
      ['f64', next.position],
      ['u16', next.cols],
      ['u16', next.rows],
    ]);
    const header = frameHeader(Frame.checkpoint, handle, fields.length + next.bytes.length);
    if (header.readUInt32BE(0) > MAX_HOST_FRAME_BYTES) throw new Error('checkpoint is too long');
    this.#socket.cork();
    this.#send(header);
    this.#send(fields);
    this.#send(next.bytes);
    this.#socket.uncork();
  }

  /** Ends the connection behind what was sent before. */
  close(): void {
    this.#socket.destroySoon();
    setTimeout(() => this.#socket.destroy(), CLOSE_GRACE_MS).unref();
  }

  #call(request: HostRequest extends infer R ? (R extends unknown ? Omit<R, 'call'> : never) : never) {
    return this.#calls.start(request.op, (call) =>
      this.#send(requestFrame({ ...request, call } as HostRequest)),
    );
  }

  #send(bytes: Uint8Array): void {
    if (!this.#socket.destroyed && bytes.length > 0) this.#socket.write(bytes);
  }

  #frame(type: number, handle: number, payload: Buffer): void {
    const reading = this.#readings.get(handle);
    if (type === Frame.reply) this.#calls.reply(parseJson(payload) as HostReply);
    else if (type === Frame.written) this.#changing.written(handle, payload);
    // Else it was sent before the host heard of the detach.
    else if (reading) this.#stream(type, handle, payload, reading);
  }

  #stream(type: number, handle: number, payload: Buffer, reading: Reading): void {
    const fields = new FieldReader(payload);
    if (type === Frame.restore) this.#restore(reading, fields);
    else if (type === Frame.detached) {
      if (fields.u32() !== reading.token) return;
      this.#readings.delete(handle);
      reading.sink.detached?.();
    } else if (reading.restored) deliver(reading.sink, type, payload, fields);
  }

  #restore(reading: Reading, fields: FieldReader): void {
    if (fields.u32() !== reading.token) return;
    reading.restored = true;
    const position = fields.position();
    const end = fields.position();
    const confirmed = fields.position();
    const cols = fields.u16();
    const rows = fields.u16();
    reading.sink.restore({ position, end, confirmed, cols, rows, bytes: fields.rest() });
  }
}

const EMPTY = Buffer.alloc(0);
