import { FRAME_HEADER_BYTES, Frame } from '../../contract/host-protocol.js';
import type { ExitStatus } from '../../contract/terminal.js';
import { encodeFields, encodeFrame, encodeJson, frameHeader } from './framing.js';
import type { LogCursor, TerminalLog } from './terminal-log.js';

/**
 * Most output in one frame: the other terminals of the connection get their turn after it. With its header it is what
 * Node reads from a socket at once.
 */
export const MAX_OUTPUT_FRAME_BYTES = 64 * 1024 - FRAME_HEADER_BYTES;

/** Below this, copying output behind its header is cheaper than a gathering write. */
const COPY_BELOW_BYTES = 4096;

/** The terminal, as far as its reader needs to know it. */
export interface StreamSource {
  readonly handle: number;
  readonly log: TerminalLog;
  readonly confirmed: number;
  readonly exit: ExitStatus | null;
  /** True once after the log has come near its bound. */
  takeCheckpointWanted(): boolean;
  /** This attachment has ended, from the other side. */
  detached(attachment: Attachment): void;
}

/** The connection, as far as an attachment needs to know it. */
export interface StreamSink {
  write(bytes: Uint8Array): void;
  /** The attachment has something to send: {@link Attachment.send} is to be called when there is room. */
  wake(attachment: Attachment): void;
  remove(attachment: Attachment): void;
  /** Tells the client that the attach of this token has ended. */
  detached(handle: number, token: number): void;
}

/**
 * One client's reading of one terminal: a cursor into its log. It is drawn from when the socket has room, so
 * that a client which does not read holds no memory beyond the log; live output and replay are the same thing.
 */
export class Attachment {
  readonly #source: StreamSource;
  readonly #sink: StreamSink;
  readonly #token: number;
  #cursor: LogCursor | null = null;
  #exitSent = false;

  constructor(source: StreamSource, sink: StreamSink, token: number) {
    this.#source = source;
    this.#sink = sink;
    this.#token = token;
    sink.wake(this);
  }

  get handle(): number {
    return this.#source.handle;
  }

  get sink(): StreamSink {
    return this.#sink;
  }

  /** Output up to here has been handed to the socket. */
  get sent(): number {
    return this.#cursor?.position ?? 0;
  }

  /** The terminal has changed. */
  wake(): void {
    this.#sink.wake(this);
  }

  /** Sends one stretch of the stream; true when there is more. */
  send(): boolean {
    const { handle, log, exit } = this.#source;
    this.#cursor ??= this.#restore();
    if (this.#source.takeCheckpointWanted()) this.#sink.write(frameHeader(Frame.checkpointWanted, handle, 0));
    const item = log.next(this.#cursor, MAX_OUTPUT_FRAME_BYTES);
    if (item?.kind === 'output') this.#output(item.views, item.bytes);
    else if (item) this.#sink.write(encodeFrame(Frame.resized, handle, encodeSize(item)));
    else if (exit && !this.#exitSent) {
      this.#exitSent = true;
      this.#sink.write(encodeJson(Frame.exited, handle, exit));
    }
    return item !== null;
  }

  /** Ends it from the terminal's side, and tells the client. */
  end(): void {
    this.#sink.remove(this);
    this.#sink.detached(this.handle, this.#token);
  }

  /** Ends it from the client's side. */
  detach(): void {
    this.#sink.remove(this);
    this.#source.detached(this);
  }

  #output(views: Buffer[], bytes: number): void {
    const { handle } = this.#source;
    const first = views[0];
    if (first && views.length === 1 && bytes < COPY_BELOW_BYTES) {
      this.#sink.write(encodeFrame(Frame.output, handle, first));
      return;
    }
    this.#sink.write(frameHeader(Frame.output, handle, bytes));
    for (const view of views) this.#sink.write(view);
  }

  #restore(): LogCursor {
    const { handle, log, confirmed } = this.#source;
    const { position, cols, rows, kept } = log.checkpoint;
    const bytes = kept.read();
    const fields = encodeFields([
      ['u32', this.#token],
      ['f64', position],
      ['f64', log.position],
      ['f64', confirmed],
      ['u16', cols],
      ['u16', rows],
    ]);
    this.#sink.write(frameHeader(Frame.restore, handle, fields.length + bytes.length));
    this.#sink.write(fields);
    this.#sink.write(bytes);
    return log.start();
  }
}

function encodeSize(size: { cols: number; rows: number }): Buffer {
  return encodeFields([
    ['u16', size.cols],
    ['u16', size.rows],
  ]);
}
