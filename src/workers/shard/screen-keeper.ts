import {
  CHECKPOINT_EVERY_BYTES,
  CHECKPOINT_IDLE_MS,
  HISTORY_BYTES,
  PARSE_SLICE_BYTES,
} from '../../contract/limits.js';
import { type Detail, packCheckpoint, unpackCheckpoint } from './checkpoint.js';
import { History } from './history.js';
import { Mailbox } from './mailbox.js';
import type { ParseLoop, Parser } from './parse-loop.js';
import { Screen } from './screen/screen.js';

/** A quiet terminal is saved only when this much would have to be parsed again after a crash: about 1 ms. */
const CHECKPOINT_IDLE_BYTES = 16 * 1024;

/**
 * A screen that serializes to more than this (about 50 ms) is saved without its scrollback while its output floods,
 * and whole when it is quiet: colours of their own in each cell make 10 MB of 1,000 lines, and the terminals of
 * the shard would wait a second for each 512 KiB.
 */
const LARGE_SCREEN_BYTES = 1024 * 1024;

/** Parsed output is confirmed to the pty host in steps of this: an eighth of the window. */
const CONFIRM_EVERY_BYTES = 128 * 1024;

/** A packed screen, and the position in the output that it shows. */
export interface Checkpoint {
  position: number;
  cols: number;
  rows: number;
  bytes: Uint8Array;
}

export interface ScreenKeeperOptions {
  loop: ParseLoop;
  /** Lines. */
  scrollback: number;
  /** Answers of the screen to queries of the program. */
  reply: (data: string) => void;
  /** Everything up to `position` is parsed and its queries are answered. */
  confirm: (position: number) => void;
  save: (checkpoint: Checkpoint) => void;
  /** The screen failed, and was begun anew or could not be saved. */
  fault: (error: unknown) => void;
}

/** A screen and the position in the output that it shows. */
export interface ScreenView {
  screen: Screen;
  position: number;
  history: History;
}

/**
 * Keeps one terminal's screen: parses what arrives, slice by slice when the loop calls, answers questions in
 * their place in the output, and saves checkpoints. After the program's end the screen is kept packed.
 */
export class ScreenKeeper implements Parser {
  readonly #options: ScreenKeeperOptions;
  readonly #mailbox = new Mailbox<ScreenView>();
  readonly #history: History;
  /** Undefined while packed. */
  #screen: Screen | undefined;
  /** The last checkpoint; it stands for the screen while that is packed. */
  #checkpoint: Checkpoint;
  #parsed: number;
  /** Where a checkpoint was last tried. */
  #tried: number;
  #confirmed: number;
  /** Queries up to here were answered by the shard that had this terminal before. */
  readonly #answered: number;
  #repliesUnconfirmed = false;
  #idle: NodeJS.Timeout | undefined;
  #ended = false;
  #isLarge = false;
  /** As much as fitted last: while output floods, what does not fit is not tried again and again. */
  #detail: Detail = 'whole';
  /** The last checkpoint may have less in it than would fit. */
  #isPartial = false;

  constructor(options: ScreenKeeperOptions, origin: Checkpoint & { confirmed: number }) {
    this.#options = options;
    this.#checkpoint = origin;
    this.#parsed = origin.position;
    this.#tried = origin.position;
    this.#confirmed = origin.confirmed;
    this.#answered = origin.confirmed;
    const pending = this.#unpacked().pending();
    this.#history = new History(HISTORY_BYTES, origin.position - pending.length, origin);
    this.#history.append(pending);
  }

  /** Bytes up to the parsed position that are of a sequence or a character which is not finished. */
  pending(): Uint8Array {
    return this.#unpacked().pending();
  }

  /** Bytes of output that are not parsed yet. */
  get waitingBytes(): number {
    return this.#mailbox.bytes;
  }

  write(bytes: Uint8Array): void {
    this.#history.append(bytes);
    this.#mailbox.put({ kind: 'bytes', bytes });
    this.#options.loop.add(this);
  }

  resized(cols: number, rows: number): void {
    this.#history.resized(cols, rows);
    this.#mailbox.put({ kind: 'resized', cols, rows });
    this.#options.loop.add(this);
  }

  /** Resolves with what `question` makes of the screen once all output before it is parsed. */
  ask<Answer>(question: (view: ScreenView) => Answer, own = false): Promise<Answer> {
    const answer = this.#mailbox.ask(question, own);
    this.#options.loop.add(this);
    return answer;
  }

  /** Saves the screen as it stands, once what is waiting is parsed: in a flood, with what a flood has time for. */
  save(): void {
    const own = true;
    // A rejection is the terminal's end.
    this.ask(() => this.#save(this.#ended, true), own).catch(() => undefined);
  }

  /** No output follows: the screen is packed as soon as the rest is parsed. */
  end(): void {
    this.#ended = true;
    this.save();
  }

  /** Ends waiting questions with `error` and frees the screen. */
  close(error: Error): void {
    clearTimeout(this.#idle);
    this.#options.loop.remove(this);
    this.#mailbox.close(error);
    this.#screen?.dispose();
    this.#screen = undefined;
  }

  step(): boolean {
    const mail = this.#mailbox.take(this.#sliceLimit());
    if (mail?.kind === 'bytes') this.#parse(mail.bytes);
    else if (mail?.kind === 'resized') this.#change((screen) => screen.resize(mail.cols, mail.rows));
    else mail?.answer({ screen: this.#unpacked(), position: this.#parsed, history: this.#history });
    if (!this.#mailbox.isEmpty) return true;
    if (this.#ended) this.#pack();
    return false;
  }

  /** A slice never crosses the position up to which queries are answered already. */
  #sliceLimit(): number {
    const toAnswered = this.#answered - this.#parsed;
    return toAnswered > 0 ? Math.min(toAnswered, PARSE_SLICE_BYTES) : PARSE_SLICE_BYTES;
  }

  #parse(bytes: Uint8Array): void {
    this.#change((screen) => screen.feed(bytes));
    this.#parsed += bytes.length;
    if (this.#repliesUnconfirmed || this.#parsed - this.#confirmed >= CONFIRM_EVERY_BYTES) {
      this.#repliesUnconfirmed = false;
      this.#confirmed = this.#parsed;
      this.#options.confirm(this.#parsed);
    }
    if (this.#parsed - this.#tried >= CHECKPOINT_EVERY_BYTES) this.#save(false);
    else this.#idle ??= setTimeout(() => this.#quiet(this.#parsed), CHECKPOINT_IDLE_MS);
  }

  #quiet(parsedBefore: number): void {
    this.#idle = undefined;
    if (this.#parsed > parsedBefore) {
      this.#idle = setTimeout(() => this.#quiet(this.#parsed), CHECKPOINT_IDLE_MS);
    } else if (this.#isPartial || this.#parsed - this.#tried >= CHECKPOINT_IDLE_BYTES) {
      this.#save(true);
    }
  }

  /** A screen that cannot be saved is tried again when more has been printed. */
  #save(isQuiet: boolean, deflate = isQuiet): void {
    const screen = this.#unpacked();
    const { position, cols, rows } = this.#checkpoint;
    const isSaved = position === this.#parsed && cols === screen.cols && rows === screen.rows;
    if (isSaved && !(isQuiet && this.#isPartial)) return;
    this.#tried = this.#parsed;
    try {
      const most = isQuiet ? 'whole' : this.#floodDetail();
      const { packed, size, detail } = packCheckpoint(screen, { detail: most, deflate });
      if (most === 'whole') this.#isLarge = size > LARGE_SCREEN_BYTES;
      this.#detail = detail;
      this.#isPartial = most !== 'whole';
      if (this.#isPartial) this.#idle ??= setTimeout(() => this.#quiet(this.#parsed), CHECKPOINT_IDLE_MS);
      this.#checkpoint = { position: this.#parsed, cols: screen.cols, rows: screen.rows, bytes: packed };
      this.#options.save(this.#checkpoint);
    } catch (error) {
      this.#options.fault(error);
    }
  }

  #floodDetail(): Detail {
    return this.#isLarge && this.#detail === 'whole' ? 'screen' : this.#detail;
  }

  #pack(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    // One that could not be saved stays as it is.
    if (this.#checkpoint.position !== this.#parsed) return;
    this.#screen?.dispose();
    this.#screen = undefined;
  }

  #unpacked(): Screen {
    if (this.#screen) return this.#screen;
    const { cols, rows, bytes } = this.#checkpoint;
    this.#screen = this.#create(cols, rows);
    // By way of #change, so that a checkpoint that cannot be read leaves an empty screen and not a dead shard.
    this.#change((screen) => screen.feed(unpackCheckpoint(bytes)));
    return this.#screen;
  }

  #create(cols: number, rows: number): Screen {
    const onReply = (data: string) => {
      if (this.#parsed < this.#answered) return;
      this.#repliesUnconfirmed = true;
      this.#options.reply(data);
    };
    return new Screen({ cols, rows, scrollback: this.#options.scrollback, onReply });
  }

  /**
   * A screen that throws would throw again after each restart of the shard, and take all its other terminals
   * along. It is begun anew instead, and the fault reported.
   */
  #change(change: (screen: Screen) => void): void {
    const screen = this.#unpacked();
    try {
      change(screen);
    } catch (error) {
      this.#options.fault(error);
      this.#screen = this.#create(screen.cols, screen.rows);
      screen.dispose();
    }
  }
}
