import type { TypedText, WrittenText } from '../protocol.js';
import type { RecordingSlot } from './recording-slot.js';
import type { ShownText } from './shown-text.js';

type IsShown = (typed: TypedText) => Promise<boolean>;

const ENTER = /[\r\n]$/;

/** Records text typed into one terminal, in order: as text if the terminal shows it, else as a secret. */
export class RecordedInput {
  readonly #recording: Pick<RecordingSlot, 'typed' | 'secret'>;
  readonly #isShown: IsShown;
  #settled: Promise<void> = Promise.resolve();

  /** @param isShown - see {@link ShownText.isShown}; rejects if that cannot be found out */
  constructor(recording: Pick<RecordingSlot, 'typed' | 'secret'>, isShown: IsShown) {
    this.#recording = recording;
    this.#isShown = isShown;
  }

  typed({ at, isHidden, ...typed }: WrittenText): void {
    const shown = isHidden ? Promise.resolve(false) : this.#isShown(typed).catch(() => false);
    this.#settled = Promise.all([shown, this.#settled]).then(([isShown]) => {
      if (isShown) this.#recording.typed(typed.texts, at);
      else this.#recording.secret(at, ENTER.test(typed.texts.join('')));
    });
  }

  /** Resolves once everything typed so far is recorded, judged by the output so far. */
  async settle(terminal: { shown: Pick<ShownText, 'settle'> } | undefined): Promise<void> {
    await terminal?.shown.settle();
    await this.#settled;
  }
}
