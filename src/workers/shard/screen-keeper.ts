import { HISTORY_BYTES, PARSE_SLICE_BYTES } from '../../contract/limits.js';
import type { Spill } from '../kept.js';
import type { AwakeScreens } from './awake-screens.js';
import { type Checkpoint, Checkpoints, type CheckpointsOptions } from './checkpoints.js';
import { History } from './history.js';
import { type Asking, Mailbox } from './mailbox.js';
import type { ParseLoop, Parser } from './parse-loop.js';
import { LazyScreen } from './screen/lazy-screen.js';
import type { SpareScreen } from './screen/spare-screen.js';
import { ScreenRest } from './screen-rest.js';
import { type Need, type ScreenLines, type ScreenPlace, type ScreenView, viewOf } from './screen-view.js';
import type { Steps } from './steps.js';
import { StoredScreen } from './stored-screen.js';

/** Output that is taken is confirmed to the pty host in steps of this: a quarter of the window. */
const CONFIRM_EVERY_BYTES = 256 * 1024;

export interface ScreenKeeperOptions extends CheckpointsOptions {
  loop: ParseLoop;
  awake: AwakeScreens;
  spill: Spill;
  spare: SpareScreen;
  /** Lines. */
  scrollback: number;
  /** Answers of the screen to queries of the program. */
  reply: (data: string) => void;
  /** Everything up to `position` is taken in, and queries in it are answered. */
  confirm: (position: number) => void;
  /** The screen failed, and was begun anew or could not be saved. */
  fault: (error: unknown) => void;
}

/**
 * Keeps one terminal's screen: takes what arrives, slice by slice when the loop calls, answers questions in their
 * place in the output, and saves checkpoints. A screen that nobody needs for a while is put to sleep.
 */
export class ScreenKeeper implements Parser {
  readonly #options: ScreenKeeperOptions;
  readonly #mailbox = new Mailbox<ScreenView>();
  readonly #history: History;
  readonly #screen: LazyScreen;
  readonly #checkpoints: Checkpoints;
  /** Bytes of output that the screen has taken; of these it may hold some that it has not parsed. */
  #taken: number;
  #confirmed: number;
  /** Queries up to here were answered by the shard that had this terminal before. */
  readonly #answered: number;
  #repliesUnconfirmed = false;
  readonly #rest: ScreenRest;
  #ended = false;

  constructor(options: ScreenKeeperOptions, origin: Checkpoint & { confirmed: number }) {
    const { position, cols, rows, confirmed } = origin;
    const first = new StoredScreen(origin);
    this.#options = options;
    this.#checkpoints = new Checkpoints(options, position, first);
    this.#taken = position;
    this.#confirmed = confirmed;
    this.#answered = confirmed;
    const { scrollback, spill, fault } = options;
    const onReply = (data: string) => this.#reply(data);
    this.#screen = new LazyScreen({ scrollback, spill, fault, onReply }, first);
    const pending = this.pending();
    this.#history = new History(HISTORY_BYTES, position - pending.length, { cols, rows }, { spill, fault });
    this.#history.append(pending);
    this.#rest = new ScreenRest({
      ...{ screen: this.#screen, history: this.#history, checkpoints: this.#checkpoints },
      awake: options.awake,
      taken: () => this.#taken,
      isAtWork: () => this.#screen.isDue || !this.#mailbox.isEmpty,
      whenParsed: (then) => this.#askOwn(then),
    });
    if (!this.#screen.isAsleep) this.#rest.needed();
  }

  /** Bytes before the first output that are of a sequence or a character which is not finished. */
  pending(): Uint8Array {
    return this.#screen.isAsleep ? new Uint8Array(0) : this.#screen.screen.pending();
  }

  /** Bytes of output that are not taken yet, or have to be parsed. */
  get waitingBytes(): number {
    return this.#mailbox.bytes + (this.#screen.isDue ? this.#screen.heldBytes : 0);
  }

  write(bytes: Uint8Array): void {
    // What the screen has left to the history must not go from there.
    if (this.waitingBytes + this.#screen.heldBytes + bytes.length > HISTORY_BYTES) this.#screen.recall();
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
    return this.#ask(question, { own, need: 'screen' });
  }

  /** Like {@link ask} for less, which often takes no parsing. */
  askPlace<Answer>(question: (place: ScreenPlace) => Answer, own = false): Promise<Answer> {
    return this.#ask(question, { own, need: 'place' });
  }

  /** Likewise. */
  askLines<Answer>(question: (lines: ScreenLines) => Answer): Promise<Answer> {
    return this.#ask(question, { own: false, need: 'lines' });
  }

  /** Likewise with an answer made in steps, between which the screen stays as it is; of `shown`, no scrollback. */
  askSteps<Answer>(question: (view: ScreenView) => Steps<Answer>, asking: Asking): Promise<Answer> {
    return this.#loopAfter(this.#mailbox.askSteps(question, asking));
  }

  /** Moves the checkpoint forward, once what is waiting is taken: in a flood, with what a flood has time for. */
  save(): void {
    if (!this.#ended && this.#saveSkipped()) return;
    const deflate = true;
    this.#askOwn(() => this.#save(this.#ended, deflate));
  }

  /** No output follows: the screen is put to sleep as soon as the rest is parsed. */
  end(): void {
    this.#ended = true;
    this.save();
  }

  /** Ends waiting questions with `error` and frees the screen. */
  close(error: Error): void {
    this.#rest.close();
    this.#options.loop.remove(this);
    this.#mailbox.close(error);
    if (!this.#screen.isAsleep) this.#options.awake.asleep(this.#rest);
    this.#screen.close();
    this.#history.close();
  }

  step(): boolean {
    if (this.#mailbox.isClosed) return false;
    if (this.#screen.isDue) this.#parse();
    else this.#takeMail();
    if (this.#screen.isDue || !this.#mailbox.isEmpty) return true;
    if (this.#ended) this.#rest.sleepAs(this.#checkpoints.of(this.#taken));
    return false;
  }

  #takeMail(): void {
    const mail = this.#mailbox.peek();
    if (mail?.kind === 'bytes') {
      const count = this.#screen.take(mail.bytes.subarray(0, PARSE_SLICE_BYTES));
      this.#mailbox.takeBytes(count);
      this.#taken += count;
      this.#options.loop.took(count);
      if (this.#screen.isDue) this.#rest.needed();
      else this.#tookAll();
      return;
    }
    const view = mail?.kind === 'ask' ? this.#view(mail.need) : undefined;
    if (this.#screen.heldBytes > 0 && !view) {
      this.#screen.drain();
      return;
    }
    if (view && mail?.kind === 'ask' && this.#answer(mail, view)) return;
    this.#mailbox.take();
    if (mail?.kind === 'resized') this.#screen.resize(mail.cols, mail.rows);
    if (mail?.kind === 'ask' && mail.own) this.#rest.watch();
    else this.#rest.needed();
  }

  /** Does a step of the answer; true while there is more. */
  #answer({ answer }: { answer: (view: ScreenView) => boolean }, view: ScreenView): boolean {
    while (answer(view)) if (!view.isPassing) return true;
    return false;
  }

  /** A slice never crosses the position up to which queries are answered already. */
  #parse(): void {
    const toAnswered = this.#answered - this.#parsed;
    this.#screen.parse(toAnswered > 0 ? toAnswered : PARSE_SLICE_BYTES);
    if (!this.#screen.isDue) this.#tookAll();
  }

  /** Undefined where all that is held has to be parsed first, also where the short way fails. */
  #view(need: Need): ScreenView | undefined {
    const { spare, fault } = this.#options;
    try {
      return viewOf(need, { lazy: this.#screen, position: this.#taken, history: this.#history, spare });
    } catch (error) {
      fault(error);
      return undefined;
    }
  }

  #ask<Answer>(question: (view: ScreenView) => Answer, asking: Asking): Promise<Answer> {
    return this.#loopAfter(this.#mailbox.ask(question, asking));
  }

  #loopAfter<Answer>(answer: Promise<Answer>): Promise<Answer> {
    this.#options.loop.add(this);
    return answer;
  }

  get #parsed(): number {
    return this.#taken - this.#screen.heldBytes;
  }

  #reply(data: string): void {
    if (this.#parsed < this.#answered) return;
    this.#repliesUnconfirmed = true;
    this.#options.reply(data);
  }

  /** All queries in what was taken are answered. */
  #tookAll(): void {
    if (this.#repliesUnconfirmed || this.#taken - this.#confirmed >= CONFIRM_EVERY_BYTES) {
      this.#repliesUnconfirmed = false;
      this.#confirmed = this.#taken;
      this.#options.confirm(this.#taken);
    }
    if (this.#checkpoints.isDue(this.#taken) && !this.#saveSkipped()) {
      this.#checkpoints.tried(this.#taken);
      this.#askOwn(() => this.#save(false));
    }
    this.#rest.watch();
  }

  #askOwn(question: () => Steps<void>): void {
    const asking = { own: true, need: 'screen' } as const;
    // A rejection is the terminal's end.
    this.#loopAfter(this.#mailbox.askSteps(question, asking)).catch(() => undefined);
  }

  #saveSkipped(): boolean {
    return this.#checkpoints.saveSkipped(this.#screen, this.#taken);
  }

  *#save(isQuiet: boolean, deflate = isQuiet): Steps<void> {
    yield* this.#checkpoints.save(this.#screen.screen, this.#taken, isQuiet, deflate);
    this.#rest.watch();
  }
}
