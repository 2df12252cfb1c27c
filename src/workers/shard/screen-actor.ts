import type { LimitFunction } from 'p-limit';
import { HISTORY_BYTES, PARSE_SLICE_BYTES } from '../../contract/limits.js';
import type { Spill } from '../kept.js';
import type { AwakeScreenLru } from './awake-screen-lru.js';
import { type Checkpoint, Checkpoints, type CheckpointsOptions } from './checkpoints.js';
import { Confirmations, type ConfirmationsOptions } from './confirmations.js';
import { Hibernator } from './hibernator.js';
import { History } from './history.js';
import { type Asking, Mailbox } from './mailbox.js';
import type { ParseLoop, Parser } from './parse-loop.js';
import { LazyScreen } from './screen/lazy-screen.js';
import type { SpareScreen } from './screen/spare-screen.js';
import { type Need, type ScreenLines, type ScreenPlace, type ScreenView, viewOf } from './screen-view.js';
import type { Steps } from './steps.js';
import { StoredScreen } from './stored-screen.js';

/** Output up to this size is taken as it comes if nothing waits: a turn of the loop would cost more. */
const AT_ONCE_BYTES = 8 * 1024;

export interface ScreenKeeperOptions extends CheckpointsOptions, ConfirmationsOptions {
  loop: ParseLoop;
  awake: AwakeScreenLru;
  /** Lets one sleeping screen of the shard at a time be woken for the shard itself. */
  wakes: LimitFunction;
  spill: Spill;
  spare: SpareScreen;
  /** Lines of scrollback. */
  scrollback: number;
  /** Reports that the screen failed and began anew, could not be saved, or that stored output could not be read. */
  fault: (error: unknown) => void;
}

/**
 * Keeps one terminal's screen: takes output slice by slice when the loop calls, answers questions at their place in the
 * output, and saves checkpoints. Puts the screen to sleep when nothing needs it for a while.
 */
export class ScreenActor implements Parser {
  readonly #options: ScreenKeeperOptions;
  readonly #mailbox = new Mailbox<ScreenView>();
  readonly #history: History;
  readonly #screen: LazyScreen;
  readonly #checkpoints: Checkpoints;
  /** Position after the output that the screen has taken. The screen may hold some of this output unparsed. */
  #taken: number;
  readonly #confirmations: Confirmations;
  readonly #rest: Hibernator;
  #ended = false;

  constructor(options: ScreenKeeperOptions, origin: Checkpoint & { confirmed: number }) {
    const { position, cols, rows, confirmed } = origin;
    const { scrollback, spill, awake, wakes, loop, fault } = options;
    const first = new StoredScreen(origin);
    this.#options = options;
    this.#checkpoints = new Checkpoints(options, position, first);
    this.#taken = position;
    this.#confirmations = new Confirmations(options, confirmed);
    const onReply = (data: string) => this.#confirmations.reply(data, this.#parsed);
    this.#screen = new LazyScreen({ scrollback, spill, fault, onReply }, first);
    const pending = this.pending();
    this.#history = new History(HISTORY_BYTES, position - pending.length, { cols, rows }, { spill, fault });
    this.#history.append(pending);
    this.#rest = new Hibernator({
      screen: this.#screen,
      history: this.#history,
      checkpoints: this.#checkpoints,
      ...{ awake, wakes, loop, fault },
      ...{ taken: () => this.#taken, isAtWork: () => this.#isAtWork },
      whenParsed: (then) => this.#askOwn(then),
    });
    if (!this.#screen.isAsleep) this.#rest.needed();
  }

  /** Returns the unfinished sequence or character at the end of the restored screen. Call before the first output. */
  pending(): Uint8Array {
    return this.#screen.isAsleep ? new Uint8Array(0) : this.#screen.screen.pending();
  }

  /** Number of output bytes that are not taken yet or must be parsed. */
  get waitingBytes(): number {
    return this.#mailbox.bytes + (this.#screen.isDue ? this.#screen.heldBytes : 0);
  }

  /** Takes output. Returns the same bytes where they are kept, see {@link History.append}. */
  write(bytes: Uint8Array): Uint8Array {
    // Before the history drops output that the screen has left to it, take that output back.
    if (this.#history.dropsFor(bytes.length)) this.#screen.recall();
    const kept = this.#history.append(bytes);
    const atOnce = !this.#isAtWork && bytes.length <= AT_ONCE_BYTES;
    this.#mailbox.put({ kind: 'bytes', bytes: kept });
    this.#goOn(atOnce);
    return kept;
  }

  resized(cols: number, rows: number): void {
    this.#history.resized(cols, rows);
    this.#mailbox.put({ kind: 'resized', cols, rows });
    this.#options.loop.add(this);
  }

  /** Resolves with the answer of `question` once all output before it is parsed. `own`: the shard itself asks. */
  ask<Answer>(question: (view: ScreenView) => Answer, own = false): Promise<Answer> {
    return this.#ask(question, { own, need: 'screen' });
  }

  /** Like {@link ask}, but only for cursor, modes, position and history, which mostly takes no parsing. */
  askPlace<Answer>(question: (place: ScreenPlace) => Answer, own = false): Promise<Answer> {
    return this.#ask(question, { own, need: 'place' });
  }

  /** Like `askPlace`, and also for the lines that have text. */
  askLines<Answer>(question: (lines: ScreenLines) => Answer): Promise<Answer> {
    return this.#ask(question, { own: false, need: 'lines' });
  }

  /** Like `ask`, with an answer made in steps, between which the screen stays the same. `shown` has no scrollback. */
  askSteps<Answer>(question: (view: ScreenView) => Steps<Answer>, asking: Asking): Promise<Answer> {
    return this.#loopAfter(this.#mailbox.askSteps(question, asking));
  }

  /** Saves a checkpoint once waiting output is taken; until the end, with no more detail than a flood has time for. */
  save(): void {
    if (!this.#ended && this.#saveSkipped()) return;
    const deflate = true;
    void this.#askOwn(() => this.#save(this.#ended, deflate));
  }

  /** Call after the last output: the screen is put to sleep as soon as the remaining output is parsed. */
  end(): void {
    this.#ended = true;
    this.save();
  }

  /** Rejects waiting questions with `error` and frees the screen. */
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
    if (this.#ended && !this.#isAtWork) this.#rest.sleepAs(this.#checkpoints.of(this.#taken));
    return this.#isAtWork;
  }

  #takeMail(): void {
    const mail = this.#mailbox.peek();
    if (mail?.kind === 'bytes') {
      const wasAsleep = this.#screen.isAsleep;
      const count = this.#screen.take(mail.bytes.subarray(0, PARSE_SLICE_BYTES));
      this.#mailbox.takeBytes(count);
      this.#taken += count;
      this.#options.loop.took(count);
      if (this.#screen.isDue || this.#screen.isAsleep !== wasAsleep) this.#rest.needed();
      if (!this.#screen.isDue) this.#tookAll();
      return;
    }
    const view = mail?.kind === 'ask' ? this.#view(mail.need) : undefined;
    if (!view && this.#screen.heldBytes > 0) return void this.#screen.drain();
    if (view && mail?.kind === 'ask' && this.#answer(mail, view)) return;
    this.#mailbox.take();
    if (mail?.kind === 'resized') {
      this.#screen.resize(mail.cols, mail.rows);
      this.#checkpoints.resized();
    }
    if (mail?.kind === 'ask' && (mail.own || mail.need === 'place')) this.#rest.watch();
    else this.#rest.needed();
  }

  /** Does a step of the answer, or all steps if the view is passing; returns true while there is more. */
  #answer({ answer }: { answer: (view: ScreenView) => boolean }, view: ScreenView): boolean {
    while (answer(view)) if (!view.isPassing) return true;
    return false;
  }

  /** Parses a slice, which never crosses the position up to which queries are already answered. */
  #parse(): void {
    const toAnswered = this.#confirmations.answered - this.#parsed;
    this.#screen.parse(toAnswered > 0 ? toAnswered : PARSE_SLICE_BYTES);
    if (!this.#screen.isDue) this.#tookAll();
  }

  /** Returns the view; undefined if held output must be parsed first, also when reading it unparsed fails. */
  #view(need: Need): ScreenView | undefined {
    const { spare, fault } = this.#options;
    try {
      return viewOf(need, { lazy: this.#screen, position: this.#taken, history: this.#history, spare });
    } catch (error) {
      return void fault(error);
    }
  }

  #ask<Answer>(question: (view: ScreenView) => Answer, asking: Asking): Promise<Answer> {
    const atOnce = !this.#isAtWork && asking.need === 'place';
    const answer = this.#mailbox.ask(question, asking);
    this.#goOn(atOnce);
    return answer;
  }

  get #isAtWork(): boolean {
    return this.#screen.isDue || !this.#mailbox.isEmpty;
  }

  /** Handles the mail that has come, `atOnce` or in a turn of the loop. */
  #goOn(atOnce: boolean): void {
    // A closed mailbox stays empty.
    if (atOnce && !this.#mailbox.isEmpty) this.#takeMail();
    if (this.#isAtWork) this.#options.loop.add(this);
  }

  #loopAfter<Answer>(answer: Promise<Answer>): Promise<Answer> {
    this.#options.loop.add(this);
    return answer;
  }

  get #parsed(): number {
    return this.#taken - this.#screen.heldBytes;
  }

  /** Confirms output, and saves a checkpoint that is due. Call when all queries in taken output are answered. */
  #tookAll(): void {
    this.#confirmations.took(this.#taken);
    if (this.#checkpoints.isDue(this.#taken) && !this.#saveSkipped()) {
      this.#checkpoints.tried(this.#taken);
      void this.#askOwn(() => this.#save(false));
    }
    this.#rest.watch();
  }

  #askOwn(question: () => Steps<void>): Promise<void> {
    const asking = { own: true, need: 'screen' } as const;
    const answer = this.#loopAfter(this.#mailbox.askSteps(question, asking));
    // Nothing is lost with a question that a closed terminal no longer answers.
    return answer.catch((error) => void (this.#mailbox.isClosed || this.#options.fault(error)));
  }

  #saveSkipped(): boolean {
    return this.#checkpoints.saveSkipped(this.#screen, this.#taken);
  }

  *#save(isQuiet: boolean, deflate = isQuiet): Steps<void> {
    yield* this.#checkpoints.save(this.#screen.screen, this.#taken, isQuiet, deflate);
    this.#rest.watch();
  }
}
