import type { TmuxPty } from './tmux-pty.js';

/** Maximum output of a pane that is kept until its terminal is known; beyond it, the start of its program fails. */
const MAX_EARLY_BYTES = 1024 * 1024;

/** Output of a pane whose terminal is not known yet; null when it was too much. */
type Early = { chunks: Buffer[]; bytes: number } | null;

/**
 * The terminals of a server, by the panes that they live in. Beside other panes that flood, the first output of a new
 * pane can come before the answer that names the pane, so this output is kept while programs are being started.
 */
export class Panes {
  readonly #byPane = new Map<number, TmuxPty>();
  /** Last known window of each terminal, since people move panes. */
  readonly #windows = new Map<TmuxPty, number>();
  readonly #early = new Map<number, Early>();
  #starts = 0;
  #onIdle: (() => void)[] = [];

  get all(): TmuxPty[] {
    return [...this.#byPane.values()];
  }

  inWindow(window: number): TmuxPty[] {
    return this.all.filter((pty) => this.#windows.get(pty) === window);
  }

  /** Returns undefined for a terminal that was removed. */
  windowOf(pty: TmuxPty): number | undefined {
    return this.#windows.get(pty);
  }

  /** Takes what a pane printed; the memory is lent. */
  output(pane: number, bytes: Buffer): void {
    const pty = this.#byPane.get(pane);
    if (pty) pty.received(bytes);
    else if (this.#starts > 0) this.#keep(pane, bytes);
  }

  /** Records that a program is being started, whose pane may print before it is known. */
  startBegins(): void {
    this.#starts += 1;
  }

  /** Records that the pane of such a program has been added, or will not be. */
  startEnds(): void {
    this.#starts -= 1;
    if (this.#starts > 0) return;
    this.#early.clear();
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /** Resolves when no program is being started. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#starts > 0) this.#onIdle.push(resolve);
      else resolve();
    });
  }

  /** Throws if a pane has printed more than could be kept. */
  mustBeWhole(pane: number): void {
    if (this.#early.get(pane) === null) throw new Error('it printed too much before tmux reported it');
  }

  /** Adds a terminal, and passes on what its pane has printed. */
  add(pty: TmuxPty): void {
    const { pane, window } = pty.pane;
    const early = this.#early.get(pane);
    this.#early.delete(pane);
    this.#byPane.set(pane, pty);
    this.#windows.set(pty, window);
    for (const bytes of early?.chunks ?? []) pty.received(bytes);
  }

  remove(pty: TmuxPty): void {
    this.#byPane.delete(pty.pane.pane);
    this.#windows.delete(pty);
  }

  moved(pty: TmuxPty, window: number): void {
    if (this.#windows.has(pty)) this.#windows.set(pty, window);
  }

  #keep(pane: number, bytes: Buffer): void {
    const known = this.#early.get(pane);
    if (known === null) return;
    const early = known ?? { chunks: [], bytes: 0 };
    early.chunks.push(Buffer.from(bytes));
    early.bytes += bytes.length;
    this.#early.set(pane, early.bytes > MAX_EARLY_BYTES ? null : early);
  }
}
