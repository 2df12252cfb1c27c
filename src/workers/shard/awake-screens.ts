import { MAX_AWAKE_SCREENS } from '../../contract/limits.js';

/** A screen that takes memory, and need not. */
export interface Sleeper {
  /** Puts it to sleep, now or soon; false when its terminal is at work. */
  doze(): boolean;
}

/** Looked at for one that sleeps well, each time that there is one too many: most are at work then. */
const TRIES = 8;

/** The screens of a shard that are awake. Of those whose terminals are quiet, the ones needed last stay awake. */
export class AwakeScreens {
  /** The one needed longest ago first. */
  readonly #screens = new Set<Sleeper>();
  readonly #onSlept: () => void;

  /** @param onSlept - called for each that was freed */
  constructor(onSlept: () => void = () => undefined) {
    this.#onSlept = onSlept;
  }

  needed(screen: Sleeper): void {
    this.#screens.delete(screen);
    this.#screens.add(screen);
    if (this.#screens.size > MAX_AWAKE_SCREENS) this.#makeRoom();
  }

  /** The screen was freed. */
  asleep(screen: Sleeper): void {
    this.#screens.delete(screen);
    this.#onSlept();
  }

  #makeRoom(): void {
    let tries = TRIES;
    for (const screen of this.#screens) {
      // One that cannot sleep as it is would be tried again and again; it comes back when it is needed.
      this.#screens.delete(screen);
      if (screen.doze()) return;
      this.#screens.add(screen);
      if (--tries === 0) return;
    }
  }
}
