import { FRAME_INTERVAL_MS, MAX_FRAME_BYTES } from '../../contract/limits.js';
import type { Snapshot, TerminalSize } from '../../contract/terminal.js';
import { type Deferred, deferred } from './deferred.js';
import { frameHead } from './frame-writer.js';
import type { FrameVariant, OutputFrame, StreamMessage } from './protocol.js';
import type { StreamPort } from './stream-port.js';
import { unfinishedCharacter } from './unfinished-character.js';

const EMPTY = Buffer.alloc(0);

/** Up to this much output in one interval is posted without delay: it is the echo of typing, or a prompt. */
const INTERACTIVE_BYTES = 2 * 1024;

/** Most bytes of an unfinished UTF-8 character. The last three bytes of output show whether there is one. */
const LONGEST_UNFINISHED_BYTES = 3;

export interface OutputStreamOptions {
  id: string;
  /** Position of the first byte that is passed to {@link OutputStream.write}. */
  position: number;
  port: Pick<StreamPort, 'post' | 'isFull' | 'frames'>;
  /** Returns the forms of output that are watched; another set after each change of the watched output. */
  watched: () => ReadonlySet<FrameVariant>;
}

/**
 * Turns one terminal's output into frames for watching clients. The first bytes after a pause are posted at once; under
 * load, frames gather up to 64 KiB or a few milliseconds of output. No character is split between frames, and events
 * keep their place among them.
 */
export class OutputStream {
  readonly #options: OutputStreamOptions;
  /** Beginning of every frame. */
  readonly #head: Uint8Array;
  /** Position after the last byte taken in. */
  #position: number;
  /** Output taken in but not posted; begins with the unfinished character that the last frame left. */
  #gathered: Uint8Array[] = [];
  #size = 0;
  /** Bytes of output in the frame that is being made. */
  #framed = 0;
  /** Start of the present interval of {@link FRAME_INTERVAL_MS}, and the bytes that came in it. */
  #intervalStart = 0;
  #intervalBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Calls since {@link hold}, in order; undefined while nothing is held. */
  #held: Array<() => void> | undefined;
  /** Resolves when the present hold ends. */
  #released: Deferred<void> | undefined;
  /**
   * Set while frames are being dropped because the port is full: the forms that were watched when that was reported.
   * Clients that have begun to watch since then do not know.
   */
  #interrupted: ReadonlySet<FrameVariant> | undefined;

  constructor(options: OutputStreamOptions) {
    this.#options = options;
    this.#position = options.position;
    this.#head = frameHead(options.id);
  }

  /** Takes in output that another shard has already streamed, without posting it again. */
  skip(bytes: Uint8Array): void {
    this.#gather(bytes);
    this.#keepUnfinished();
  }

  write(bytes: Uint8Array): void {
    if (this.#held) {
      this.#held.push(() => this.write(bytes));
      return;
    }
    this.#gather(bytes);
    if (this.#options.watched().size > 0) this.#pace();
    else this.#keepUnfinished();
  }

  /** Posts an event of the terminal, after all output before it. */
  event(message: StreamMessage): void {
    if (this.#held) {
      this.#held.push(() => this.event(message));
      return;
    }
    this.#flush();
    this.#options.port.post(message);
  }

  /** Posts the remaining output, with an unfinished character as U+FFFD, then `last`, and closes the stream. */
  end(last: StreamMessage): void {
    if (this.#held) {
      this.#held.push(() => this.end(last));
      return;
    }
    this.#flush();
    const [rest] = this.#gathered;
    if (rest && this.#options.watched().size > 0) {
      this.#add(rest);
      this.#postFrame();
    }
    this.close();
    this.#options.port.post(last);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#held = undefined;
    this.#released?.resolve();
    this.#keep(EMPTY);
  }

  /** Resolves once all events so far are posted, or the stream is closed: at once, unless they are held. */
  get posted(): Promise<void> | undefined {
    return this.#held && this.#released?.promise;
  }

  /** Posts the output so far, so that a frame ends here. */
  endFrame(): void {
    if (this.#held) this.#held.push(() => this.endFrame());
    else this.#flush();
  }

  /** Posts the output so far, and holds back all later output and events until {@link release}. */
  hold(): void {
    this.#flush();
    this.#held = [];
    this.#released = deferred();
  }

  /**
   * Posts the screen as of the {@link hold}. After the {@link release}, frames continue exactly from there.
   *
   * @param snapshot - the screen, as escape sequences, and its size
   * @param pending - bytes of a sequence that was unfinished at the hold; the frames continue it
   */
  resync({ snapshot, cols, rows }: Pick<Snapshot, 'snapshot' | 'cols' | 'rows'>, pending: Uint8Array): void {
    const { id, port } = this.#options;
    port.frames.begin(this.#head);
    port.frames.addText(`\x1bc${snapshot}`);
    port.frames.add(pending.subarray(0, pending.length - unfinishedCharacter(pending)));
    port.post({ type: 'resync', id, ...this.#endFrame({ cols, rows }) });
    // The screen makes up for the frames that were dropped so far. If the port is still full, the next ones are missing.
    this.#interrupted = undefined;
  }

  /** Posts everything that was held back, in order. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const replay of held) replay();
    this.#released?.resolve();
  }

  #pace(): void {
    const now = performance.now();
    const wait = this.#intervalStart + FRAME_INTERVAL_MS - now;
    if (wait <= 0) {
      this.#intervalStart = now;
      this.#intervalBytes = 0;
    }
    this.#intervalBytes += this.#size;
    if (this.#size >= MAX_FRAME_BYTES || this.#intervalBytes <= INTERACTIVE_BYTES || wait <= 0) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), wait);
  }

  /** Posts all complete characters taken in so far. */
  #flush(): void {
    if (this.#timer) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    let rest: Uint8Array = EMPTY;
    for (const piece of this.#gathered) {
      rest = this.#frame(rest.length > 0 ? Buffer.concat([rest, piece]) : piece);
    }
    if (this.#framed > 0) this.#postFrame();
    this.#keep(rest);
  }

  /** Puts complete characters into frames and posts each full frame. Returns the remaining bytes. */
  #frame(bytes: Uint8Array): Uint8Array {
    let from = 0;
    for (;;) {
      const slice = bytes.subarray(from, from + MAX_FRAME_BYTES - this.#framed);
      const complete = slice.length - unfinishedCharacter(slice);
      if (complete > 0) this.#add(slice.subarray(0, complete));
      const isLast = from + slice.length === bytes.length;
      from += complete;
      if (isLast) return bytes.subarray(from);
      this.#postFrame();
    }
  }

  /** Adds output to the frame. While the port is full the frame will be dropped, so it is not written. */
  #add(bytes: Uint8Array): void {
    const { port } = this.#options;
    if (!port.isFull) {
      if (this.#framed === 0) port.frames.begin(this.#head);
      port.frames.add(bytes);
    }
    this.#framed += bytes.length;
    this.#size -= bytes.length;
  }

  /** Posts the frame, or drops it if the port is full. The first dropped frame notifies watching clients. */
  #postFrame(): void {
    const { port, id, watched } = this.#options;
    this.#framed = 0;
    if (!port.isFull) {
      this.#interrupted = undefined;
      port.post({ type: 'output', id, ...this.#endFrame() });
    } else if (this.#interrupted !== watched()) {
      this.#interrupted = watched();
      port.post({ type: 'interrupted', id });
    }
  }

  #endFrame(size?: TerminalSize): OutputFrame {
    const { port, watched } = this.#options;
    return port.frames.end(this.#position - this.#size, watched(), size);
  }

  #gather(bytes: Uint8Array): void {
    this.#position += bytes.length;
    if (bytes.length > 0) this.#gathered.push(bytes);
    this.#size += bytes.length;
  }

  /** Drops gathered output except for an unfinished character, which the last three bytes show. */
  #keepUnfinished(): void {
    const last = this.#gathered.at(-1);
    if (!last) return;
    const isEnough = last.length >= LONGEST_UNFINISHED_BYTES;
    const end = isEnough ? last : Buffer.concat(this.#gathered, this.#size);
    this.#keep(end.subarray(end.length - unfinishedCharacter(end)));
  }

  /** Keeps a copy of `rest`, so that three bytes do not keep a large buffer alive. */
  #keep(rest: Uint8Array): void {
    this.#gathered = rest.length > 0 ? [Buffer.from(rest)] : [];
    this.#size = rest.length;
  }
}
