import { DomainError } from '../../../contract/errors.js';
import {
  MAX_UNDECIDED_TEXTS,
  SHOWN_TEXT_BYTES,
  SHOWN_TEXT_MS,
  SHOWN_TEXT_PAUSE_MS,
} from '../../../contract/limits.js';
import type { History } from '../history.js';
import type { TypedText } from '../protocol.js';
import { BREAK, TextStream } from '../screen/text/text-stream.js';
import type { ScreenActor } from '../screen-actor.js';
import type { ShellRanges } from './shell-ranges.js';
import { asksForSecret, isOneKey, tellingWords } from './typed-words.js';

/** Bytes before a position that are searched for the line before the cursor. */
const PROMPT_BYTES = 2048;

export interface ShownTextOptions {
  screenActor: Pick<ScreenActor, 'ask' | 'askPlace'>;
  shellRanges: Pick<ShellRanges, 'isPromptAt'>;
  /** Called when the shown text could not be read. */
  fault: (error: unknown) => void;
}

/** A typed text; whether it was shown is not yet known. */
interface Undecided extends TypedText {
  words: string[];
  decide: (isShown: boolean) => void;
  expiry: NodeJS.Timeout;
}

/**
 * Determines whether a terminal shows the text typed into it. Text that it does not show may be a secret, such as a
 * password, however a program asked for it, and must not be kept.
 */
export class ShownText {
  readonly #options: ShownTextOptions;
  readonly #undecided = new Set<Undecided>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ShownTextOptions) {
    this.#options = options;
  }

  /**
   * Returns whether the text may be kept: all of it was shown within {@link SHOWN_TEXT_MS}, and the line before the
   * cursor did not ask for a secret when it was typed. A single key need not be shown, unless it is a whole line.
   */
  async isShown(typed: TypedText): Promise<boolean> {
    const words = tellingWords(typed.texts);
    if (words.length === 0) return true;
    if (await this.#isAsked(typed.position)) return false;
    if (isOneKey(typed.texts) && !typed.isLine) return true;
    return new Promise((decide) => {
      const expiry = setTimeout(() => void this.#expire(undecided), SHOWN_TEXT_MS);
      const undecided: Undecided = { words, decide, expiry, ...typed };
      this.#undecided.add(undecided);
      for (const oldest of this.#undecided) {
        if (this.#undecided.size <= MAX_UNDECIDED_TEXTS) break;
        this.#decide(oldest, false);
      }
      void this.#look();
    });
  }

  /** Call when something was printed. */
  output(): void {
    if (this.#undecided.size > 0) this.#timer ??= setTimeout(() => void this.#look(), SHOWN_TEXT_PAUSE_MS);
  }

  /** Decides all texts by the output so far. */
  async settle(): Promise<void> {
    const present = [...this.#undecided];
    if (present.length === 0) return;
    await this.#look();
    for (const undecided of present) this.#decide(undecided, false);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const undecided of this.#undecided) this.#decide(undecided, false);
  }

  async #expire(undecided: Undecided): Promise<void> {
    await this.#look();
    this.#decide(undecided, false);
  }

  #decide(undecided: Undecided, isShown: boolean): void {
    if (!this.#undecided.delete(undecided)) return;
    clearTimeout(undecided.expiry);
    undecided.decide(isShown);
  }

  /**
   * Searches for the texts in the output since each was typed, which costs little, and then on the screen if it may
   * show them, since a program may draw them there piece by piece.
   */
  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const own = true;
    let mayShow = false;
    try {
      await this.#options.screenActor.askPlace(({ history, position: end }) => {
        this.#find(({ position }) => printed(history, position, position + SHOWN_TEXT_BYTES));
        mayShow = [...this.#undecided].some(({ position }) => position < end);
      }, own);
      if (!mayShow) return;
      await this.#options.screenActor.ask(({ screen }) => {
        const { text } = screen.shownText();
        this.#find(() => text);
      }, own);
    } catch (error) {
      const isGone = error instanceof DomainError && error.code === 'terminal-not-found';
      if (!isGone) this.#options.fault(error);
      // After an error it is unknown whether the texts were shown, so they count as not shown.
      for (const undecided of this.#undecided) this.#decide(undecided, false);
    }
  }

  #find(textFor: (undecided: Undecided) => string): void {
    for (const undecided of this.#undecided) {
      const text = textFor(undecided);
      undecided.words = undecided.words.filter((word) => !text.includes(word));
      if (undecided.words.length === 0) this.#decide(undecided, true);
    }
  }

  async #isAsked(position: number): Promise<boolean> {
    const { screenActor, shellRanges } = this.#options;
    if (shellRanges.isPromptAt(position)) return false;
    const own = true;
    const before = await screenActor.askPlace(
      ({ history }) => printed(history, Math.max(0, position - PROMPT_BYTES), position),
      own,
    );
    return asksForSecret(before.split('\n').at(-1) ?? '');
  }
}

/** Returns text as it was printed, without breaks, so that text drawn key by key is one text. */
function printed(history: History, begin: number, end: number): string {
  const stream = new TextStream();
  return history
    .between(begin, end)
    .segments.map((segment) => ('bytes' in segment ? stream.push(segment.bytes) : ''))
    .join('')
    .replaceAll(BREAK, '');
}
