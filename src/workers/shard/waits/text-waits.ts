import { BACKGROUND_MS } from '../../../contract/limits.js';
import { decodeCursor, type ReadCursor, startOf } from '../reader.js';
import { renderPrinted } from '../screen/printed.js';
import { BREAK, TextStream } from '../screen/text-stream.js';
import type { ScreenKeeper } from '../screen-keeper.js';
import type { ScreenView } from '../screen-view.js';
import type { ProgramText } from './program-text.js';
import { TextMatch } from './text-match.js';

/** While output comes, the screen is looked at this often, ... */
const LOOK_EVERY_MS = 50;

/** ... and at most a twentieth of the time, unless that would be less often than this. */
const LOOK_SHARE = 20;
const MAX_PAUSE_MS = 2_000;

/** Somebody who waits for a text. */
export interface TextWait {
  text: string;
  /** Only what was printed after this cursor counts. */
  since?: string | undefined;
  /** Also in prompts and what is typed there, where a shell tells of them. */
  echo?: boolean | undefined;
  /** At most one of the two is called, once. */
  met: () => void;
  fail: (error: Error) => void;
}

interface Following {
  wait: TextWait;
  match: TextMatch;
  /** Where `since` points to. */
  from: ReadCursor | undefined;
  /** What it has been shown stands otherwise on the screen: the cursor was moved in it, or there are tabs. */
  isDrawn: boolean;
}

/**
 * Looks for texts in one terminal's output: in the stream of what is printed, where a flood costs little and nothing
 * is missed, and in what the screen shows, since programs draw text piece by piece and all over it.
 */
export class TextWaits {
  readonly #keeper: Pick<ScreenKeeper, 'ask'>;
  readonly #following = new Map<TextWait, Following>();
  /** Undefined while nobody follows. */
  #stream: TextStream | undefined;
  /** The screen has changed since it was last looked at. */
  #isChanged = false;
  #isLooking = false;
  /** What programs print, where shells tell of it. */
  #programs = new TextStream();
  #wroteAt = performance.now();
  readonly #program: ProgramText;
  #timer: NodeJS.Timeout | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #nextLookAt = 0;

  constructor(keeper: Pick<ScreenKeeper, 'ask'>, program: ProgramText) {
    this.#keeper = keeper;
    this.#program = program;
  }

  get isEmpty(): boolean {
    return this.#following.size === 0;
  }

  /**
   * Looks at what there is, and follows what comes unless `isWanted` has become false meanwhile. Resolves once all
   * that was there has been looked at.
   */
  async add(wait: TextWait, isWanted: () => boolean): Promise<void> {
    // Waits have a bound of their own, over all terminals.
    const own = true;
    await this.#keeper.ask((view) => (isWanted() ? this.#begin(wait, view) : undefined), own);
  }

  remove(wait: TextWait): void {
    if (!this.#following.delete(wait) || this.#following.size > 0) return;
    this.#stream = undefined;
    clearTimeout(this.#timer);
    clearTimeout(this.#quiet);
    this.#timer = undefined;
    this.#quiet = undefined;
  }

  /** @param end - position behind the bytes */
  output(bytes: Uint8Array, end: number): void {
    if (!this.#stream) return;
    const all = [...this.#following.values()];
    this.#show(
      this.#stream.push(bytes),
      all.filter((each) => !this.#isFiltered(each)),
    );
    this.#showPrograms(
      bytes,
      end,
      all.filter((each) => this.#isFiltered(each)),
    );
    this.#wroteAt = performance.now();
    this.#isChanged = true;
    this.#schedule();
  }

  /** Looks at the screen when all that was printed by now is on it. */
  async look(): Promise<void> {
    const own = true;
    await this.#keeper.ask((view) => this.#lookAt(view, [...this.#following.values()]), own);
  }

  #begin(wait: TextWait, view: ScreenView): Promise<void> {
    const from = wait.since === undefined ? undefined : decodeCursor(wait.since, view.position);
    const follower = { wait, match: new TextMatch(wait.text), from, isDrawn: false };
    const stream = new TextStream();
    const start = (from ?? view.cursor).position;
    this.#following.set(wait, follower);
    if (this.#isFiltered(follower)) {
      this.#stream ??= stream;
      this.#isChanged = true;
      this.#schedule();
      return this.#lookAt(view, [follower]);
    }
    if (!from) this.#show(view.screen.shownText().beforeCursor, [follower]);
    for (const segment of view.history.between(start, Number.POSITIVE_INFINITY).segments) {
      if ('bytes' in segment) this.#show(stream.push(segment.bytes), [follower]);
    }
    if (!this.#following.has(wait)) return Promise.resolve();
    this.#stream ??= stream;
    // What came since the call is not on the screen yet.
    this.#isChanged = true;
    this.#schedule();
    return this.#lookAt(view, [follower]);
  }

  #show(text: string, followers: readonly Following[]): void {
    const isDrawn = text.includes(BREAK) || text.includes('\t');
    for (const follower of followers) {
      follower.isDrawn ||= isDrawn;
      if (this.#following.has(follower.wait) && follower.match.push(text)) follower.wait.met();
    }
  }

  /** Only what programs print counts for it. */
  #isFiltered({ wait }: Following): boolean {
    return !wait.echo && !this.#program.isUnknown;
  }

  #showPrograms(bytes: Uint8Array, end: number, followers: readonly Following[]): void {
    if (followers.length === 0) return;
    for (const portion of this.#program.portions(bytes, end)) {
      if (portion.fresh) this.#programs = new TextStream();
      this.#show(`${portion.fresh ? BREAK : ''}${this.#programs.push(portion.bytes)}`, followers);
    }
  }

  /** A program that uses the alternate screen draws all of it. */
  #lookAtPrograms({ screen, history, cursor }: ScreenView, followers: readonly Following[]): void {
    if (followers.length === 0) return;
    const { text, isAlternate, rows } = {
      text: screen.shownText().text,
      isAlternate: cursor.altScreen,
      rows: screen.rows,
    };
    const left = this.#wroteAt + BACKGROUND_MS - performance.now();
    const end = cursor.position;
    for (const { wait, match, from } of followers) {
      if (!from && !match.isIn(text)) continue;
      const begin = from?.position ?? this.#program.shownFrom({ history, end }, rows);
      const isDrawing = isAlternate && !from;
      const texts = isDrawing ? [text] : this.#program.texts({ history, begin, end }, left <= 0);
      if (texts.some((each) => match.isIn(each))) wait.met();
    }
    // What is printed at a prompt counts only once the shell has begun no command with it.
    if (left > 0 && !this.isEmpty) this.#quiet ??= setTimeout(() => this.#onQuiet(), left);
  }

  #onQuiet(): void {
    this.#quiet = undefined;
    this.#isChanged = true;
    this.#schedule();
  }

  /** Of who follows from a cursor on, what was printed since is drawn anew: the rest of the screen is older. */
  async #lookAt(view: ScreenView, followers: readonly Following[]): Promise<void> {
    const begin = performance.now();
    const following = followers.filter(({ wait }) => this.#following.has(wait));
    this.#lookAtPrograms(
      view,
      following.filter((each) => this.#isFiltered(each)),
    );
    const present = following.filter((each) => !this.#isFiltered(each));
    const all = present.some(({ from }) => !from) ? view.screen.shownText().text : '';
    const end = view.cursor.position;
    const drawings = present.flatMap((follower) => {
      const { wait, match, from, isDrawn } = follower;
      if (!from && match.isIn(all)) wait.met();
      return from && isDrawn ? [{ follower, from, printed: view.history.between(from.position, end) }] : [];
    });
    for (const { follower, from, printed } of drawings) {
      const lines = await renderPrinted(printed.segments, startOf(printed, from));
      const isWaiting = this.#following.has(follower.wait);
      if (isWaiting && follower.match.isIn(lines.join('\n'))) follower.wait.met();
    }
    const now = performance.now();
    const pause = Math.min(MAX_PAUSE_MS, Math.max(LOOK_EVERY_MS, LOOK_SHARE * (now - begin)));
    this.#nextLookAt = now + pause;
  }

  /** At once after a pause, so that what is drawn then is found without delay. */
  #schedule(): void {
    if (!this.#isChanged || this.#isLooking || this.#timer || this.isEmpty) return;
    const wait = Math.max(0, this.#nextLookAt - performance.now());
    this.#timer = setTimeout(() => void this.#lookAgain(), wait);
  }

  async #lookAgain(): Promise<void> {
    this.#timer = undefined;
    this.#isChanged = false;
    this.#isLooking = true;
    try {
      await this.look();
    } catch (error) {
      for (const wait of [...this.#following.keys()]) wait.fail(error as Error);
    } finally {
      this.#isLooking = false;
    }
    this.#schedule();
  }
}
