import { MAX_AWAKE_BYTES } from '../../contract/limits.js';

/** A screen that takes memory, and need not. */
export interface Sleeper {
  /** Memory that it takes. */
  readonly bytes: number;
  /** Puts it to sleep, now or soon; false when its terminal is at work. */
  doze(): boolean;
}

/** Looked at for one that sleeps well, each time that there is too little room: most are at work then. */
const TRIES = 8;

/** The screens of a shard that are awake. Of those whose terminals are quiet, the ones needed last stay awake. */
export class AwakeScreens {
  /** What each takes; the one needed longest ago first. */
  readonly #screens = new Map<Sleeper, number>();
  #bytes = 0;

  needed(screen: Sleeper): void {
    this.#forget(screen);
    this.#screens.set(screen, screen.bytes);
    this.#bytes += screen.bytes;
    if (this.#bytes > MAX_AWAKE_BYTES) this.#makeRoom();
  }

  /** The screen is about to be freed. */
  asleep(screen: Sleeper): void {
    this.#forget(screen);
  }

  #makeRoom(): void {
    let tries = TRIES;
    for (const [screen, bytes] of this.#screens) {
      // One that cannot sleep as it is would be tried again and again; it comes back when it is needed.
      this.#forget(screen);
      if (screen.doze()) {
        if (this.#bytes <= MAX_AWAKE_BYTES) return;
      } else {
        this.#screens.set(screen, bytes);
        this.#bytes += bytes;
      }
      if (--tries === 0) return;
    }
  }

  #forget(screen: Sleeper): void {
    this.#bytes -= this.#screens.get(screen) ?? 0;
    this.#screens.delete(screen);
  }
}
