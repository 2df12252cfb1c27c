import { DomainError } from '../../../contract/errors.js';
import {
  MAX_UNDECIDED_TEXTS,
  SHOWN_TEXT_BYTES,
  SHOWN_TEXT_MS,
  SHOWN_TEXT_PAUSE_MS,
} from '../../../contract/limits.js';
import type { History } from '../history.js';
import type { TypedText } from '../protocol.js';
import { BREAK, TextStream } from '../screen/text-stream.js';
import type { ScreenKeeper } from '../screen-keeper.js';
import type { ShellStretches } from './shell-stretches.js';
import { asksForSecret, isOneKey, tellingWords } from './typed-words.js';

/** A line before the cursor is looked for in so many bytes. */
const PROMPT_BYTES = 2048;

export interface ShownTextOptions {
  keeper: Pick<ScreenKeeper, 'ask' | 'askPlace'>;
  stretches: Pick<ShellStretches, 'isPromptAt'>;
  /** What was shown could not be read. */
  fault: (error: unknown) => void;
}

/** A text of which it is not known yet whether it was shown. */
interface Undecided extends TypedText {
  words: string[];
  decide: (isShown: boolean) => void;
  expiry: NodeJS.Timeout;
}

/**
 * Tells of what is typed into one terminal whether the terminal shows it. What it does not show, as a password, a program
 * may have asked for in secret, however it did that, and nobody may keep it.
 */
export class ShownText {
  readonly #options: ShownTextOptions;
  readonly #undecided = new Set<Undecided>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ShownTextOptions) {
    this.#options = options;
  }

  /**
   * Whether the text may be kept: all of it was shown within {@link SHOWN_TEXT_MS}, and the words before the cursor did
   * not ask for a secret when it was typed. A single key need not be shown.
   */
  async isShown(typed: TypedText): Promise<boolean> {
    const words = tellingWords(typed.texts);
    if (words.length === 0) return true;
    if (await this.#isAsked(typed.position)) return false;
    if (isOneKey(typed.texts) && !typed.isLine) return true;
    return new Promise((decide) => {
      const expiry = setTimeout(() => this.#decide(undecided, false), SHOWN_TEXT_MS);
      const undecided: Undecided = { ...typed, words, decide, expiry };
      this.#undecided.add(undecided);
      for (const oldest of this.#undecided) {
        if (this.#undecided.size <= MAX_UNDECIDED_TEXTS) break;
        this.#decide(oldest, false);
      }
      void this.#look();
    });
  }

  /** Something was printed. */
  output(): void {
    if (this.#undecided.size > 0) this.#timer ??= setTimeout(() => void this.#look(), SHOWN_TEXT_PAUSE_MS);
  }

  /** Decides by what was printed by now. */
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

  #decide(undecided: Undecided, isShown: boolean): void {
    if (!this.#undecided.delete(undecided)) return;
    clearTimeout(undecided.expiry);
    undecided.decide(isShown);
  }

  /** In what was printed since it was typed, which costs little; else on the screen, where it may be drawn piece by piece. */
  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const own = true;
    try {
      await this.#options.keeper.askPlace(
        ({ history }) =>
          this.#find(({ position }) => printed(history, position, position + SHOWN_TEXT_BYTES)),
        own,
      );
      if (this.#undecided.size === 0) return;
      await this.#options.keeper.ask(({ screen }) => {
        const { text } = screen.shownText();
        this.#find(() => text);
      }, own);
    } catch (error) {
      const isGone = error instanceof DomainError && error.code === 'terminal-not-found';
      if (!isGone) this.#options.fault(error);
      // Nobody can say any more whether it was shown.
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
    const { keeper, stretches } = this.#options;
    if (stretches.isPromptAt(position)) return false;
    const own = true;
    const before = await keeper.askPlace(
      ({ history }) => printed(history, Math.max(0, position - PROMPT_BYTES), position),
      own,
    );
    return asksForSecret(before.split('\n').at(-1) ?? '');
  }
}

/** Text as it was printed; what is drawn key by key is one text. */
function printed(history: History, begin: number, end: number): string {
  const stream = new TextStream();
  return history
    .between(begin, end)
    .segments.map((segment) => ('bytes' in segment ? stream.push(segment.bytes) : ''))
    .join('')
    .replaceAll(BREAK, '');
}
