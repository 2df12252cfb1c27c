import { TMUX_FREEZE_MS, TMUX_PAUSE_MS } from '../../../contract/limits.js';

/** A pane whose output is held back, since no reader takes it. */
export interface Held {
  /** Stops the pane's writers in the kernel. */
  stop(): void;
  goOn(): void;
}

/** Reads the output of a server; while the reader is paused, the server buffers what its panes print. */
export interface ServerReader {
  pause(): void;
  resume(): void;
}

/** Freezes a server: then it takes nothing from its panes, whose programs block once their PTYs are full. */
export interface ServerFreezer {
  freeze(): void;
  thaw(): void;
}

/**
 * Holds back panes. tmux cannot make a single pane wait, and the kernel loses the CR LF that a program is printing at
 * the moment in which its PTY is stopped (a stopped PTY takes nothing, but n_tty has asked for room before). So, first,
 * nothing of any pane is read for a while, which is mostly enough. Then the server is frozen until the programs that
 * print much block on it, and only then are the held panes stopped.
 */
export class Holds {
  readonly #reader: ServerReader;
  readonly #freezer: ServerFreezer;
  /** Panes that are held but not stopped: the whole server waits for them. */
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

  /** Forgets a pane that is gone. */
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
    // Panes that are held only since the freeze began have not had their pause yet.
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
