import type { Labels } from '../../contract/labels.js';
import { UNKNOWN_START_MS } from '../../contract/limits.js';
import type { Asking, Place } from './waiter.js';

export interface PlacesOptions {
  /** Returns whether a terminal with this id is listed, so that it counts as running or no longer counts. */
  isListed: (terminalId: string) => boolean;
  /** Called when a terminal no longer has a place; with false if it counts as running from now on. */
  onFreed: (isGone: boolean) => void;
}

/** A terminal that starts, or that may yet start. */
interface Start {
  labels: Labels;
  /** The attempts to start it: a creation whose outcome is unknown may be repeated before its own place is free. */
  attempts: Set<Place>;
}

/** The places of terminals that start: each counts like a running terminal, however often its start is attempted. */
export class Places {
  readonly #options: PlacesOptions;
  readonly #starts = new Map<string, Start>();

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** Returns whether this terminal has a place, from an attempt that is not over or whose outcome is unknown. */
  has(terminalId: string): boolean {
    return this.#starts.has(terminalId);
  }

  /** Returns the labels of the terminals that have places and are not listed. */
  labels(): Labels[] {
    const { isListed } = this.#options;
    return [...this.#starts].flatMap(([id, { labels }]) => (isListed(id) ? [] : [labels]));
  }

  take({ terminalId, labels }: Asking): Place {
    const start = this.#starts.get(terminalId) ?? { labels, attempts: new Set() };
    this.#starts.set(terminalId, start);
    const free = () => this.#free(terminalId, start, place);
    const place = { free, freeLater: () => void setTimeout(free, UNKNOWN_START_MS).unref() };
    start.attempts.add(place);
    return place;
  }

  /** Frees the place once its terminal is listed, or once no attempt may start it any more. */
  #free(terminalId: string, start: Start, place: Place): void {
    const isListed = this.#options.isListed(terminalId);
    start.attempts.delete(place);
    if (this.#starts.get(terminalId) !== start || (start.attempts.size > 0 && !isListed)) return;
    this.#starts.delete(terminalId);
    this.#options.onFreed(!isListed);
  }
}
