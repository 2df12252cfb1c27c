import { TMUX_FREEZE_MS, TMUX_PAUSE_MS } from '../../../contract/limits.js';

/** A pane whose output nobody takes. */
export interface Held {
  /** Stops its writers in the kernel. */
  stop(): void;
  goOn(): void;
}

/** Who reads what a server says; while nobody does, that keeps what its panes print. */
export interface ServerReader {
  pause(): void;
  resume(): void;
}

/** Has a server stand still: it takes nothing of its panes, whose programs wait once their PTYs are full. */
export interface ServerFreezer {
  freeze(): void;
  thaw(): void;
}

/**
 * Holds back panes. tmux cannot be told to let one wait, and the kernel loses the CR LF that a program is printing in
 * the moment in which it is stopped (a PTY that has been stopped takes nothing, and n_tty has asked for room before).
 * So nothing of all panes is read for a while, which is mostly enough; after that the server stands still until those
 * who print much wait for it, and only then are the held ones stopped.
 */
export class Holds {
  readonly #reader: ServerReader;
  readonly #freezer: ServerFreezer;
  /** Held, and not stopped: the server waits for them. */
  readonly #waiting = new Set<Held>();
  readonly #stopped = new Set<Held>();
  #timer: NodeJS.Timeout | undefined;
  #isFrozen = false;

  constructor(reader: ServerReader, freezer: ServerFreezer) {
    this.#reader = reader;
    this.#freezer = freezer;
  }

  hold(pane: Held): void {
    if (this.#waiting.size === 0) {
      this.#reader.pause();
      this.#timer = setTimeout(() => this.#freeze(), TMUX_PAUSE_MS);
    }
    this.#waiting.add(pane);
  }

  release(pane: Held): void {
    if (this.#stopped.delete(pane)) pane.goOn();
    else if (this.#waiting.delete(pane) && this.#waiting.size === 0) this.#goOn();
  }

  /** It is gone. */
  forget(pane: Held): void {
    if (!this.#stopped.delete(pane)) this.release(pane);
  }

  #freeze(): void {
    const held = [...this.#waiting];
    this.#isFrozen = true;
    this.#timer = setTimeout(() => this.#stop(held), TMUX_FREEZE_MS);
    this.#freezer.freeze();
  }

  #stop(held: readonly Held[]): void {
    for (const pane of held) {
      if (!this.#waiting.delete(pane)) continue;
      pane.stop();
      this.#stopped.add(pane);
    }
    // Those that are held only since then have not had their time.
    if (this.#waiting.size === 0) this.#goOn();
    else {
      this.#thaw();
      this.#timer = setTimeout(() => this.#freeze(), TMUX_PAUSE_MS);
    }
  }

  #goOn(): void {
    clearTimeout(this.#timer);
    this.#thaw();
    this.#reader.resume();
  }

  #thaw(): void {
    if (this.#isFrozen) this.#freezer.thaw();
    this.#isFrozen = false;
  }
}
