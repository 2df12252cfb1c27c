import { FRAME_INTERVAL_MS, MAX_FRAME_BYTES } from '../../contract/limits.js';
import { encodeVariants, unfinishedCharacter } from './frames.js';
import type { FrameVariant, OutputFrame, StreamMessage } from './protocol.js';

const EMPTY = Buffer.alloc(0);

/** So little in one interval is somebody typing or a prompt: none of it waits. */
const INTERACTIVE_BYTES = 2 * 1024;

export interface OutputStreamOptions {
  id: string;
  /** Bytes of the terminal before the first {@link OutputStream.write}. */
  position: number;
  post: (message: StreamMessage, transfer?: ArrayBuffer[]) => void;
  watched: () => ReadonlySet<FrameVariant>;
}

/**
 * Turns one terminal's bytes into output frames for those who watch. The first bytes after a pause go out at
 * once; under load they are gathered up to 64 KiB or a few milliseconds. No character is cut between frames.
 */
export class OutputStream {
  readonly #options: OutputStreamOptions;
  /** Bytes received so far. */
  #position: number;
  /** Received and not posted yet; begins with the unfinished character that the last frame left. */
  #gathered: Uint8Array[] = [];
  #size = 0;
  /** The present interval of {@link FRAME_INTERVAL_MS}, and what came in it. */
  #intervalStart = 0;
  #intervalBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #held = false;

  constructor(options: OutputStreamOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  get position(): number {
    return this.#position;
  }

  write(bytes: Uint8Array): void {
    this.#position += bytes.length;
    this.#gathered.push(bytes);
    this.#size += bytes.length;
    if (this.#options.watched().size === 0) {
      this.#keepOnly(unfinishedTail(this.#gathered));
    } else if (!this.#held) {
      this.#pace();
    }
  }

  /** Posts what happened to the terminal after all output before it. */
  event(message: StreamMessage): void {
    this.flush();
    this.#options.post(message);
  }

  /** Posts the rest, with an unfinished character as U+FFFD: nothing comes after it. */
  end(): void {
    this.#held = false;
    this.flush();
    if (this.#size > 0) this.#post(Buffer.concat(this.#gathered).toString('utf8'), this.#position);
    this.close();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#keepOnly(EMPTY);
  }

  /** Posts all complete characters received so far, unless frames are held. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#held || this.#size === 0) return;
    const all =
      this.#gathered.length === 1 ? asBuffer(this.#gathered[0]!) : Buffer.concat(this.#gathered, this.#size);
    const before = this.#position - this.#size;
    let start = 0;
    while (start < all.length) {
      const slice = all.subarray(start, start + MAX_FRAME_BYTES);
      const complete = slice.length - unfinishedCharacter(slice);
      if (complete === 0) break;
      this.#post(slice.toString('utf8', 0, complete), before + start + complete);
      start += complete;
    }
    // A copy, so that three bytes do not keep a large buffer alive.
    this.#keepOnly(start < all.length ? Buffer.from(all.subarray(start)) : EMPTY);
  }

  /** Posts what came before and keeps back what comes after, until {@link resync}. */
  hold(): void {
    this.flush();
    this.#held = true;
  }

  /**
   * Posts the screen as of the {@link hold}, and lets frames flow again from exactly there.
   *
   * @param snapshot - the screen, as escape sequences
   * @param pending - bytes of a sequence that was unfinished at the hold; the frames continue it
   * @param position - bytes of the terminal at the hold
   */
  resync(snapshot: string, pending: Uint8Array, position: number): void {
    const unfinished = unfinishedCharacter(pending);
    const sequence = asBuffer(pending).toString('utf8', 0, pending.length - unfinished);
    this.#postAs('resync', `\x1bc${snapshot}${sequence}`, position - unfinished);
    this.#held = false;
    this.flush();
  }

  #pace(): void {
    const now = performance.now();
    const wait = this.#intervalStart + FRAME_INTERVAL_MS - now;
    if (wait <= 0) {
      this.#intervalStart = now;
      this.#intervalBytes = 0;
    }
    this.#intervalBytes += this.#size;
    if (this.#size >= MAX_FRAME_BYTES || this.#intervalBytes <= INTERACTIVE_BYTES || wait <= 0) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), wait);
  }

  #post(content: string, position: number): void {
    this.#postAs('output', content, position);
  }

  #postAs(type: 'output' | 'resync', content: string, position: number): void {
    const { id, post, watched } = this.#options;
    const frame = encodeVariants(id, content, position, watched());
    post({ type, id, ...frame }, transferable(frame));
  }

  #keepOnly(rest: Uint8Array): void {
    this.#gathered = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
  }
}

function transferable(frame: OutputFrame): ArrayBuffer[] {
  return Object.values(frame).filter((buffer) => buffer !== undefined);
}

function unfinishedTail(chunks: Uint8Array[]): Uint8Array {
  const last = chunks.at(-1)!;
  const tail = last.length >= 4 || chunks.length === 1 ? last : Buffer.concat(chunks);
  const unfinished = unfinishedCharacter(tail);
  return unfinished === 0 ? EMPTY : Buffer.from(tail.subarray(tail.length - unfinished));
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
