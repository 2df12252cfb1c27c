import { FRAME_INTERVAL_MS, MAX_FRAME_BYTES } from '../../contract/limits.js';
import { encodeVariants, unfinishedCharacter } from './frames.js';
import type { FrameVariant, StreamMessage } from './protocol.js';
import type { StreamPort } from './stream-port.js';

const EMPTY = Buffer.alloc(0);

/** So little in one interval is somebody typing or a prompt: none of it waits. */
const INTERACTIVE_BYTES = 2 * 1024;

export interface OutputStreamOptions {
  id: string;
  /** Bytes of the terminal before the first {@link OutputStream.write}. */
  position: number;
  port: Pick<StreamPort, 'post' | 'isFull'>;
  watched: () => ReadonlySet<FrameVariant>;
}

/**
 * Turns one terminal's bytes into output frames for those who watch. The first bytes after a pause go out at
 * once; under load they are gathered up to 64 KiB or a few milliseconds. No character is cut between frames, and
 * events keep their place among them.
 */
export class OutputStream {
  readonly #options: OutputStreamOptions;
  /** Bytes taken in so far. */
  #position: number;
  /** Taken in and not posted yet; begins with the unfinished character that the last frame left. */
  #gathered: Uint8Array[] = [];
  #size = 0;
  /** The present interval of {@link FRAME_INTERVAL_MS}, and what came in it. */
  #intervalStart = 0;
  #intervalBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** What came since {@link hold}, in order. */
  #held: Array<() => void> | undefined;
  /** Frames are being dropped because the port is full; those who watch know it. */
  #interrupted = false;

  constructor(options: OutputStreamOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  /** Takes in output that was streamed before, by another shard: nobody is sent it again. */
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

  /** Posts what happened to the terminal, after all output before it. */
  event(message: StreamMessage): void {
    if (this.#held) {
      this.#held.push(() => this.event(message));
      return;
    }
    this.#flush();
    this.#options.port.post(message);
  }

  /** Posts the rest, with an unfinished character as U+FFFD, then `last`: nothing comes after it. */
  end(last: StreamMessage): void {
    if (this.#held) {
      this.#held.push(() => this.end(last));
      return;
    }
    this.#flush();
    const rest = this.#join();
    if (rest.length > 0 && this.#options.watched().size > 0)
      this.#output(rest.toString('utf8'), this.#position);
    this.close();
    this.#options.port.post(last);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#held = undefined;
    this.#keep(EMPTY);
  }

  /** Posts what came before, and keeps back what comes after until {@link release}. */
  hold(): void {
    this.#flush();
    this.#held = [];
  }

  /**
   * Posts the screen as of the {@link hold}; after the {@link release} frames continue from exactly there.
   *
   * @param snapshot - the screen, as escape sequences
   * @param pending - bytes of a sequence that was unfinished at the hold; the frames continue it
   */
  resync(snapshot: string, pending: Uint8Array): void {
    const bytes = asBuffer(pending);
    const sequence = bytes.toString('utf8', 0, bytes.length - unfinishedCharacter(bytes));
    this.#post('resync', `\x1bc${snapshot}${sequence}`, this.#position - this.#size);
  }

  /** Lets go of what was held, in its order. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const replay of held) replay();
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
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const all = this.#join();
    const before = this.#position - all.length;
    let start = 0;
    while (start < all.length) {
      const slice = all.subarray(start, start + MAX_FRAME_BYTES);
      const complete = slice.length - unfinishedCharacter(slice);
      if (complete === 0) break;
      start += complete;
      this.#output(slice.toString('utf8', 0, complete), before + start);
    }
    this.#keep(all.subarray(start));
  }

  /** A frame that does not fit any more is dropped; the first of them tells those who watch. */
  #output(content: string, position: number): void {
    const { port, id } = this.#options;
    if (!port.isFull) {
      this.#interrupted = false;
      this.#post('output', content, position);
    } else if (!this.#interrupted) {
      this.#interrupted = true;
      port.post({ type: 'interrupted', id });
    }
  }

  #post(type: 'output' | 'resync', content: string, position: number): void {
    const { id, port, watched } = this.#options;
    port.post({ type, id, ...encodeVariants(id, content, position, watched()) });
  }

  #gather(bytes: Uint8Array): void {
    this.#position += bytes.length;
    this.#gathered.push(bytes);
    this.#size += bytes.length;
  }

  #join(): Buffer {
    const [only] = this.#gathered;
    return only && this.#gathered.length === 1 ? asBuffer(only) : Buffer.concat(this.#gathered, this.#size);
  }

  #keepUnfinished(): void {
    const all = this.#join();
    this.#keep(all.subarray(all.length - unfinishedCharacter(all)));
  }

  /** A copy, so that three bytes do not keep a large buffer alive. */
  #keep(rest: Uint8Array): void {
    this.#gathered = rest.length > 0 ? [Buffer.from(rest)] : [];
    this.#size = rest.length;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
