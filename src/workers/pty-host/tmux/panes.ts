import type { TmuxPty } from './tmux-pty.js';

/** What a pane prints before anybody knows whose it is; beyond this the start of its program has failed. */
const MAX_EARLY_BYTES = 1024 * 1024;

/** A window, and the session that it belongs to beside the hub. */
interface Place {
  window: number;
  session: string;
}

/** What has come of a pane that nobody knows; null when that was too much. */
type Early = { chunks: Buffer[]; bytes: number } | null;

/**
 * The terminals of a server, by the panes that they live in. Beside others that flood, the first output of a pane can
 * come before the answer that tells of the pane: while programs are being started, it is kept.
 */
export class Panes {
  readonly #byPane = new Map<number, TmuxPty>();
  /** Where each was when it was last heard of: people move panes. */
  readonly #places = new Map<TmuxPty, Place>();
  readonly #early = new Map<number, Early>();
  #starts = 0;
  #onIdle: (() => void)[] = [];

  get all(): TmuxPty[] {
    return [...this.#byPane.values()];
  }

  inWindow(window: number): TmuxPty[] {
    return this.all.filter((pty) => this.#places.get(pty)?.window === window);
  }

  /** Undefined for one that has been removed. */
  placeOf(pty: TmuxPty): Place | undefined {
    return this.#places.get(pty);
  }

  /** The memory is lent. */
  output(pane: number, bytes: Buffer): void {
    const pty = this.#byPane.get(pane);
    if (pty) pty.received(bytes);
    else if (this.#starts > 0) this.#keep(pane, bytes);
  }

  /** A program is being started: its pane may be heard of before it is known. */
  startBegins(): void {
    this.#starts += 1;
  }

  /** Its pane has been added by now, or will not be. */
  startEnds(): void {
    this.#starts -= 1;
    if (this.#starts > 0) return;
    this.#early.clear();
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /** Resolves when no pane is waited for. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#starts > 0) this.#onIdle.push(resolve);
      else resolve();
    });
  }

  /** Throws where a pane has printed more than could be kept. */
  mustBeWhole(pane: number): void {
    if (this.#early.get(pane) === null) throw new Error('it printed too much before tmux told of it');
  }

  /** Passes on what the pane has printed. */
  add(pty: TmuxPty): void {
    const { pane, window, session } = pty.pane;
    const early = this.#early.get(pane);
    this.#early.delete(pane);
    this.#byPane.set(pane, pty);
    this.#places.set(pty, { window, session });
    for (const bytes of early?.chunks ?? []) pty.received(bytes);
  }

  remove(pty: TmuxPty): void {
    this.#byPane.delete(pty.pane.pane);
    this.#places.delete(pty);
  }

  moved(pty: TmuxPty, place: Place): void {
    if (this.#places.has(pty)) this.#places.set(pty, place);
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
