import { FRAME_HEADER_BYTES, Frame } from '../../../contract/host-protocol.js';
import type { ExitStatus } from '../../../contract/terminal.js';
import { encodeFields, encodeFrame, encodeJson, frameHeader } from '../wire/framing.js';
import type { LogCursor, TerminalLog } from './terminal-log.js';

/**
 * Maximum output in one frame, after which the other terminals of the connection get their turn. With its header, a
 * frame is as large as what Node reads from a socket at once.
 */
export const MAX_OUTPUT_FRAME_BYTES = 64 * 1024 - FRAME_HEADER_BYTES;

/** The terminal as its attachment sees it. */
export interface StreamSource {
  readonly handle: number;
  readonly log: TerminalLog;
  readonly confirmed: number;
  readonly exit: ExitStatus | null;
  /** Returns true once after the log has come near its limit. */
  takeCheckpointWanted(): boolean;
  /** Called when the client's side has ended this attachment. */
  detached(attachment: Attachment): void;
}

/** The connection as an attachment sees it. */
export interface StreamSink {
  write(bytes: Uint8Array): void;
  /**
   * Records that the attachment has something to send: {@link Attachment.send} must be called when there is room; if it is
   * not urgent, also up to CALM_OUTPUT_MS later.
   */
  wake(attachment: Attachment, isUrgent: boolean): void;
  /** Sends at once anything that the attachment has to send. */
  hurry(attachment: Attachment): void;
  remove(attachment: Attachment): void;
  /** Notifies the client that the attach with this token has ended. */
  detached(handle: number, token: number): void;
}

/**
 * One client's reading of one terminal: a cursor into its log. Output is drawn from the log when the socket has room,
 * so a client that does not read costs no memory beyond the log, and live output and replay are the same thing.
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
    sink.wake(this, true);
  }

  get handle(): number {
    return this.#source.handle;
  }

  get sink(): StreamSink {
    return this.#sink;
  }

  /** Output position up to which everything has been handed to the socket. */
  get sent(): number {
    return this.#cursor?.position ?? 0;
  }

  /** Must be called when the terminal has changed; see {@link StreamSink.wake}. */
  wake(isUrgent = true): void {
    this.#sink.wake(this, isUrgent);
  }

  hurry(): void {
    this.#sink.hurry(this);
  }

  /** Sends one item of the stream; returns false when there is nothing more to send. */
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

  /** Ends the attachment from the terminal's side, and notifies the client. */
  end(): void {
    this.#sink.remove(this);
    this.#sink.detached(this.handle, this.#token);
  }

  /** Ends the attachment from the client's side. */
  detach(): void {
    this.#sink.remove(this);
    this.#source.detached(this);
  }

  #output(views: Buffer[], bytes: number): void {
    this.#sink.write(frameHeader(Frame.output, this.handle, bytes));
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
