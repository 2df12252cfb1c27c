import { MAX_AWAKE_BYTES } from '../../contract/limits.js';

/** An awake screen, whose memory is freed by putting it to sleep. */
export interface Sleeper {
  /** Memory that the screen takes, in bytes. */
  readonly bytes: number;
  /** Puts the screen to sleep, now or soon; returns false when its terminal is at work. */
  doze(): boolean;
}

/** Most screens tried for sleep each time room runs short: by then, most of them are at work. */
const TRIES = 8;

/** The awake screens of a shard. When room runs short, the quiet screens needed longest ago are put to sleep. */
export class AwakeScreenLru {
  /** Bytes of memory per screen; the screen needed longest ago is first. */
  readonly #screens = new Map<Sleeper, number>();
  #bytes = 0;

  needed(screen: Sleeper): void {
    this.#forget(screen);
    this.#screens.set(screen, screen.bytes);
    this.#bytes += screen.bytes;
    if (this.#bytes > MAX_AWAKE_BYTES) this.#makeRoom();
  }

  /** Forgets a screen that is about to be freed. */
  asleep(screen: Sleeper): void {
    this.#forget(screen);
  }

  #makeRoom(): void {
    let tries = TRIES;
    for (const [screen, bytes] of this.#screens) {
      // Forgotten until it is needed again: otherwise a screen that cannot be stored would be tried each time.
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
