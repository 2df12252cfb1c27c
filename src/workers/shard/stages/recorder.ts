import { MAX_FRAME_BYTES, RECORDING_BUFFER_CHARS, RECORDING_FLUSH_MS } from '../../../contract/limits.js';
import type { RecordingEvent } from '../../../contract/recording.js';
import type { TerminalSize } from '../../../contract/terminal.js';
import { encodeEvent, type RecordingFile } from '../../../store/recording-file.js';
import { unfinishedCharacter } from '../unfinished-character.js';
import { OutputMoment } from './output-moment.js';
import { RecordingClock } from './recording-clock.js';
import type { RecordingTotals } from './recording-plan.js';
import type { NumberedResize } from './resizes-here.js';

const EMPTY = Buffer.alloc(0);

/**
 * Records one terminal into its file. The output of one moment is one event, and no character is split between two
 * events. Unwritten data is bounded in bytes and in time. A recording that another thread or process began continues at
 * the position in its file, whatever is replayed.
 */
export class Recorder {
  readonly #file: RecordingFile;
  readonly #clock: RecordingClock;
  /** Called once, when writing fails; nothing is recorded from then on. */
  readonly #onFailed: (error: unknown) => void;
  #fault: { error: unknown } | undefined;
  #isTruncated = false;
  /** Whether the recording has failed or is finished; then it takes nothing in. */
  #isOver = false;
  /** Position after the last output taken in. */
  #position: number;
  /** Unfinished character, at most three bytes, which belongs to the next event. */
  #pending: Buffer;
  /** When its last byte came; null if all of it came before the recording. */
  #pendingAt: number | null;
  #size: TerminalSize;
  /** How many of the resizes that a replay brings at `#position` are known. */
  #resizes: number;
  readonly #moment = new OutputMoment();
  /** Timestamp of the last event that is complete. */
  #lastEventAt: number;
  /** Events not written yet, and what they add to the totals. */
  #lines = '';
  #lineCount = 0;
  #lineBytes = 0;
  /** Whether the last input belonged to a secret line that has not ended. */
  #isSecretOpen = false;
  #timer: NodeJS.Timeout | undefined;
  /** Whether anything has changed since the head was written. */
  #isDirty = false;

  constructor(file: RecordingFile, onFailed: (error: unknown) => void) {
    const { journal, start_time } = file.head;
    this.#file = file;
    this.#onFailed = onFailed;
    this.#clock = new RecordingClock(start_time, journal.timestamp);
    this.#lastEventAt = journal.timestamp;
    this.#position = journal.position;
    this.#pending = file.head.options.include_output ? Buffer.from(journal.pending, 'hex') : EMPTY;
    this.#pendingAt = journal.pending_at === undefined ? journal.timestamp : journal.pending_at;
    this.#size = { cols: journal.cols, rows: journal.rows };
    this.#resizes = journal.resizes ?? 0;
  }

  get id(): string {
    return this.#file.head.id;
  }

  /** Totals as of the last {@link flush}. */
  get totals(): RecordingTotals {
    const { id, size, event_count: eventCount } = this.#file.head;
    return { recordingId: id, size, eventCount, ...(this.#isTruncated && { truncated: true }) };
  }

  /** Error of a failed write, after which the last data taken in is not in the file. */
  get fault(): { error: unknown } | undefined {
    return this.#fault;
  }

  /** Takes in output that ends at position `end`, and skips output that is already in the file. */
  output(bytes: Uint8Array, end: number): void {
    const known = Math.max(0, this.#position - (end - bytes.length));
    if (known >= bytes.length || this.#isOver) return;
    this.#position = end;
    this.#resizes = 0;
    if (!this.#file.head.options.include_output) return;
    const fresh = Buffer.from(bytes.buffer, bytes.byteOffset + known, bytes.length - known);
    this.#gather(this.#pending.length > 0 ? Buffer.concat([this.#pending, fresh]) : fresh);
    this.#flushIfMuch();
  }

  /**
   * Takes in text that was typed at `at` (epoch milliseconds), each write as its own event. The echo may have arrived
   * earlier, by a shorter path, so output that began after `at` is recorded after these events.
   */
  typed(texts: readonly string[], at: number): void {
    this.#input(texts, at);
    this.#isSecretOpen = false;
  }

  /**
   * Takes in that something secret was typed at `at` (epoch milliseconds): one event for a whole line, so that the
   * events do not reveal its length. `endsLine`: the next input belongs to another line.
   */
  secret(at: number, endsLine: boolean): void {
    if (!this.#isSecretOpen) this.#input([''], at, { secret: true });
    this.#isSecretOpen = !endsLine;
  }

  #input(texts: readonly string[], at: number, more: Pick<RecordingEvent, 'secret'> = {}): void {
    if (!this.#file.head.options.include_input || this.#isOver) return;
    const timestamp = Math.max(this.#clock.at(at), this.#lastEventAt);
    if (this.#moment.since < timestamp) this.#endMoment();
    for (const data of texts) this.#event({ event_type: 'input', data, timestamp, ...more });
    this.#flushIfMuch();
  }

  /**
   * Takes in that the terminal got this size at `position` of its output; skips repetitions by a replay. The number of a
   * new resize counts from now on: for a checkpoint the pty host may have dropped resizes that had not come here yet.
   */
  resized({ cols, rows }: TerminalSize, position: number, { number, isNew }: NumberedResize): void {
    if (position < this.#position || this.#isOver) return;
    const isKnown =
      (number < this.#resizes && !isNew) || (this.#size.cols === cols && this.#size.rows === rows);
    if (isNew ? number !== this.#resizes : number > this.#resizes) {
      this.#resizes = number;
      this.#changed();
    }
    if (isKnown) return;
    this.#size = { cols, rows };
    if (!this.#file.head.options.include_resize) return;
    this.#endMoment();
    this.#event({ event_type: 'resize', data: `${cols}x${rows}`, timestamp: this.#clock.now() });
  }

  /** Takes in that a replay will leave out the first `count` resizes at the present position. */
  forgotten(count: number): void {
    this.#resizes = Math.max(0, this.#resizes - count);
    this.#changed();
  }

  /** Marks this moment, such as the moment at which an agent begins to wait. */
  mark(label: string): void {
    if (this.#isOver) return;
    this.#endMoment();
    this.#event({ event_type: 'mark', data: label, timestamp: this.#clock.now() });
  }

  /** Marks the recording as cut: output that belongs into it has not come. */
  cut(): void {
    this.#isTruncated = true;
  }

  /** Writes everything taken in. Afterwards no output before the last position is needed again. */
  flush(): void {
    this.#endMoment();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isDirty || this.#isOver) return;
    this.#isDirty = false;
    this.#write();
  }

  /**
   * Ends the recording; see {@link RecordingFile.finish}.
   *
   * @param exitedAt - when the program exited (epoch milliseconds); without it, the recording ends now
   */
  async finish(exitedAt?: number): Promise<RecordingTotals> {
    this.#endPending();
    this.flush();
    this.#isOver = true;
    const end = exitedAt === undefined ? this.#clock.now() : this.#clock.at(exitedAt);
    const endTime = this.#clock.dateOf(Math.max(end, this.#lastEventAt));
    await this.#file.finish(endTime, this.#isTruncated);
    return this.totals;
  }

  #gather(all: Buffer): void {
    let start = 0;
    while (start < all.length) {
      const slice = all.subarray(start, start + MAX_FRAME_BYTES);
      const complete = slice.length - unfinishedCharacter(slice);
      if (complete === 0) break;
      this.#add(slice.toString('utf8', 0, complete));
      start += complete;
    }
    // Copy, so that three bytes do not keep a large buffer alive.
    this.#pending = start < all.length ? Buffer.from(all.subarray(start)) : EMPTY;
    this.#pendingAt = this.#clock.now();
    this.#changed();
  }

  /** Records the unfinished character at the end, unless all of it came before the recording. */
  #endPending(): void {
    if (this.#pending.length > 0 && this.#pendingAt !== null)
      this.#add(this.#pending.toString('utf8'), Math.max(this.#pendingAt, this.#lastEventAt));
    this.#pending = EMPTY;
  }

  /** Adds text to the event of the present moment, or begins the next event. */
  #add(text: string, timestamp = this.#clock.now()): void {
    if (this.#moment.isOver(text, timestamp)) this.#endMoment();
    this.#moment.add(text, timestamp);
    this.#changed();
  }

  #endMoment(): void {
    const event = this.#moment.end();
    if (event) this.#event(event);
  }

  #event(event: RecordingEvent): void {
    this.#lines += encodeEvent(event, this.#file.head.event_count + this.#lineCount === 0);
    this.#lineCount += 1;
    this.#lineBytes += Buffer.byteLength(event.data);
    this.#lastEventAt = event.timestamp;
    this.#changed();
  }

  /** Call only between two inputs: the written position must match the events in the file. */
  #flushIfMuch(): void {
    if (this.#lines.length >= RECORDING_BUFFER_CHARS) this.flush();
  }

  #changed(): void {
    this.#isDirty = true;
    this.#timer ??= setTimeout(() => this.flush(), RECORDING_FLUSH_MS);
  }

  #write(): void {
    const [lines, count, bytes] = [this.#lines, this.#lineCount, this.#lineBytes];
    [this.#lines, this.#lineCount, this.#lineBytes] = ['', 0, 0];
    try {
      this.#file.append(lines, count, bytes, {
        position: this.#position,
        pending: this.#pending.toString('hex'),
        pending_at: this.#pendingAt,
        timestamp: this.#clock.last,
        resizes: this.#resizes,
        ...this.#size,
      });
    } catch (error) {
      this.#isOver = true;
      this.#fault = { error };
      this.#isTruncated = true;
      this.#onFailed(error);
    }
  }
}
