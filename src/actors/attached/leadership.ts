import type { TerminalSize } from '../../contract/terminal.js';

interface Seat {
  readOnly: boolean;
  size: TerminalSize;
  /** Number of its last use, counted over all clients; 0 if it has neither typed nor taken the lead. */
  use: number;
}

/** The size that a terminal gets: that of its leader; `base` is the size that the API has set. */
export type WantedSize = TerminalSize | 'base';

/**
 * Decides which of a terminal's attached clients leads: the terminal has the size of its leader. The client that typed
 * or took the lead last leads; when it leaves, the client before it leads again. A client that shares the terminal only
 * with readers leads even before it types. Readers never lead and do not count. Without a leader the terminal keeps the
 * size that it has; without any client that could lead, it gets back its base size.
 *
 * Every change returns the size that the terminal gets by it; undefined if it keeps its size.
 */
export class Leadership {
  readonly #seats = new Map<string, Seat>();
  #leader: string | undefined;
  #uses = 0;

  get leader(): string | undefined {
    return this.#leader;
  }

  /** Adds a client, or changes how it is attached. */
  attach(id: string, { readOnly, size }: Omit<Seat, 'use'>): WantedSize | undefined {
    const use = readOnly ? 0 : (this.#seats.get(id)?.use ?? 0);
    const isResized = this.#leader === id && !readOnly;
    this.#seats.set(id, { readOnly, size, use });
    return this.#settle() ?? (isResized ? size : undefined);
  }

  /** Changes the size of a client. */
  resize(id: string, size: TerminalSize): WantedSize | undefined {
    const seat = this.#seats.get(id);
    if (seat) seat.size = size;
    return seat && this.#leader === id ? size : undefined;
  }

  /** Notes that the client has typed. */
  typed(id: string): WantedSize | undefined {
    const seat = this.#seats.get(id);
    if (!seat || seat.readOnly) return undefined;
    seat.use = ++this.#uses;
    return this.#leader === id ? undefined : this.#settle();
  }

  /** Makes the client the leader. The terminal gets its size even if it leads already, since the API may have set another. */
  take(id: string): WantedSize | undefined {
    return this.typed(id) ?? (this.#leader === id ? this.#seats.get(id)?.size : undefined);
  }

  leave(id: string): WantedSize | undefined {
    this.#seats.delete(id);
    return this.#settle();
  }

  /** Determines the leader. Returns the size that the terminal gets if the leader changes. */
  #settle(): WantedSize | undefined {
    const before = this.#leader;
    const writers = [...this.#seats].filter(([, { readOnly }]) => !readOnly);
    const [latest] = writers.toSorted(([, one], [, other]) => other.use - one.use);
    const stays = writers.some(([id]) => id === before) ? before : undefined;
    if (latest && (latest[1].use > 0 || writers.length === 1)) this.#leader = latest[0];
    else this.#leader = stays;
    if (this.#leader === before) return undefined;
    if (this.#leader !== undefined) return this.#seats.get(this.#leader)?.size;
    return writers.length === 0 ? 'base' : undefined;
  }
}
