import { BACKGROUND_MS } from '../../../contract/limits.js';
import { hrMs } from '../../clock.js';
import { decodeCursor, type ReadCursor, startOf } from '../reader.js';
import { inTurns, renderPrinted } from '../screen/text/printed.js';
import { BREAK, TextStream } from '../screen/text/text-stream.js';
import type { ScreenActor } from '../screen-actor.js';
import type { ScreenView } from '../screen-view.js';
import type { ProgramText } from './program-text.js';
import { TextMatch } from './text-match.js';

/** Shortest pause between two searches of the screen while output comes. */
const LOOK_EVERY_MS = 50;

/** Pause as a multiple of the search before it, up to MAX_PAUSE_MS, so that searches take a twentieth of the time. */
const LOOK_SHARE = 20;
const MAX_PAUSE_MS = 2_000;

/** A wait for a text. */
export interface TextWait {
  text: string;
  /** Only output after this cursor counts. */
  since?: string | undefined;
  /** Whether prompts and the text typed at them count, too, in shells that report prompts. */
  echo?: boolean | undefined;
  /** At most one of `met` and `fail` is called, and only once. */
  met: () => void;
  fail: (error: Error) => void;
}

/** The terminal whose output is searched. */
export interface TextSource {
  screenActor: Pick<ScreenActor, 'ask'>;
  /** Time of the last output, whether or not anything waited then, on the clock of {@link hrMs}. */
  printedAt: number;
}

interface Following {
  wait: TextWait;
  match: TextMatch;
  /** Cursor that `since` encodes. */
  from: ReadCursor | undefined;
  /** Whether the text pushed so far looks different on the screen: the cursor was moved within it, or it has tabs. */
  isDrawn: boolean;
}

/**
 * Searches one terminal's output for texts: in the stream of printed text, where a flood costs little and nothing is
 * missed, and on the screen, because programs draw text piece by piece and anywhere.
 */
export class TextWaits {
  readonly #terminal: TextSource;
  readonly #following = new Map<TextWait, Following>();
  /** Text that is printed; undefined while there is no wait. */
  #stream: TextStream | undefined;
  /** Whether the screen has changed since it was last searched. */
  #isChanged = false;
  #isLooking = false;
  /** Text that programs print, in shells that report their prompts. */
  #programs = new TextStream();
  readonly #program: ProgramText;
  #timer: NodeJS.Timeout | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #nextLookAt = 0;

  constructor(terminal: TextSource, program: ProgramText) {
    this.#terminal = terminal;
    this.#program = program;
  }

  get isEmpty(): boolean {
    return this.#following.size === 0;
  }

  /**
   * Searches the output so far and then all later output, unless `isWanted` has become false meanwhile. Resolves once
   * the output so far has been searched.
   */
  async add(wait: TextWait, isWanted: () => boolean): Promise<void> {
    // Clients' waits have their own bound over all terminals, so the mailbox must not refuse this question.
    const own = true;
    await this.#terminal.screenActor.ask((view) => (isWanted() ? this.#begin(wait, view) : undefined), own);
  }

  remove(wait: TextWait): void {
    if (!this.#following.delete(wait) || this.#following.size > 0) return;
    this.#stream = undefined;
    clearTimeout(this.#timer);
    clearTimeout(this.#quiet);
    this.#timer = undefined;
    this.#quiet = undefined;
  }

  /** @param end - position after the bytes */
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
    this.#isChanged = true;
    this.#schedule();
  }

  /** Searches the screen once everything printed so far is on it. */
  async look(): Promise<void> {
    const own = true;
    await this.#terminal.screenActor.ask((view) => this.#lookAt(view, [...this.#following.values()]), own);
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
    // Output that came since the question was asked is not on this screen yet: search again.
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

  /** Returns whether only the output of programs counts for a wait. */
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

  /**
   * Searches the text that programs have printed. All text on an alternate screen is the program's. Reads the view
   * before it returns.
   */
  async #lookAtPrograms(
    { screen, history, cursor }: ScreenView,
    followers: readonly Following[],
  ): Promise<void> {
    if (followers.length === 0) return;
    const { text } = screen.shownText();
    const { rows } = screen;
    const left = this.#terminal.printedAt + BACKGROUND_MS - hrMs();
    const end = cursor.position;
    const looks = followers.flatMap((follower) => {
      const { wait, match, from } = follower;
      if (!from && !match.isIn(text)) return [];
      if (cursor.altScreen && !from) {
        wait.met();
        return [];
      }
      const begin = from?.position ?? this.#program.shownFrom({ history, end }, rows);
      return [{ follower, steps: this.#program.textSteps({ history, begin, end }, left <= 0) }];
    });
    // A line at a prompt counts only after BACKGROUND_MS without output; before, it may be a command about to begin.
    if (left > 0 && !this.isEmpty) this.#quiet ??= setTimeout(() => this.#onQuiet(), left);
    for (const { follower, steps } of looks) {
      const texts = await inTurns(steps);
      const isWaiting = this.#following.has(follower.wait);
      if (isWaiting && texts.some((each) => follower.match.isIn(each))) follower.wait.met();
    }
  }

  #onQuiet(): void {
    this.#quiet = undefined;
    this.#isChanged = true;
    this.#schedule();
  }

  /** Searches the screen. For a wait with a cursor, renders only output after it: the remaining screen is older. */
  async #lookAt(view: ScreenView, followers: readonly Following[]): Promise<void> {
    const begin = performance.now();
    const following = followers.filter(({ wait }) => this.#following.has(wait));
    const programs = this.#lookAtPrograms(
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
    await programs;
    for (const { follower, from, printed } of drawings) {
      const lines = await renderPrinted(printed.segments, startOf(printed, from));
      const isWaiting = this.#following.has(follower.wait);
      if (isWaiting && follower.match.isIn(lines.join('\n'))) follower.wait.met();
    }
    const now = performance.now();
    const pause = Math.min(MAX_PAUSE_MS, Math.max(LOOK_EVERY_MS, LOOK_SHARE * (now - begin)));
    this.#nextLookAt = now + pause;
  }

  /** Schedules the next search: at once if the pause has passed, so that text drawn then is found without delay. */
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
