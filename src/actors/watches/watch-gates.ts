import { type GateOptions, type Gathered, MatchGate } from './match-gate.js';

export interface WatchGatesOptions extends GateOptions {
  /** Milliseconds of a monotonic clock. */
  now: () => number;
  /** Called with the matches to report for a terminal. */
  onDue: (terminalId: string, gathered: Gathered) => void;
}

/** The gates of one watch, one for each terminal with recent matches. */
export class WatchGates {
  readonly #options: WatchGatesOptions;
  readonly #gates = new Map<string, MatchGate>();
  /** Terminals that are gone, with matches still to report. */
  readonly #gone = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires. */
  #wakesAt = Number.POSITIVE_INFINITY;

  constructor(options: WatchGatesOptions) {
    this.#options = options;
  }

  add(terminalId: string, gathered: Gathered): void {
    let gate = this.#gates.get(terminalId);
    if (!gate) {
      gate = new MatchGate(this.#options);
      this.#gates.set(terminalId, gate);
    }
    gate.add(gathered);
    this.#tell(terminalId, gate);
    this.#arm(gate);
  }

  /** Forgets a terminal that is gone: drops its gate once its gathered matches are reported. */
  forget(terminalId: string): void {
    const gate = this.#gates.get(terminalId);
    if (gate?.dueAt() === undefined) this.#gates.delete(terminalId);
    else this.#gone.add(terminalId);
  }

  /** Reports gathered matches at once, since nothing follows. */
  flush(): void {
    for (const [terminalId, gate] of [...this.#gates]) {
      const gathered = gate.take(Number.POSITIVE_INFINITY);
      if (gathered) this.#options.onDue(terminalId, gathered);
    }
    this.close();
  }

  /** Drops gathered matches. */
  close(): void {
    clearTimeout(this.#timer);
    this.#gates.clear();
  }

  #tell(terminalId: string, gate: MatchGate): void {
    const gathered = gate.take(this.#options.now());
    if (gathered) this.#options.onDue(terminalId, gathered);
  }

  /** Sets the timer for when matches of the gate are due. */
  #arm(gate: MatchGate): void {
    const due = gate.dueAt();
    // The report may have ended the watch.
    if (due === undefined || due >= this.#wakesAt || this.#gates.size === 0) return;
    clearTimeout(this.#timer);
    this.#wakesAt = due;
    this.#timer = setTimeout(() => this.#wake(), Math.max(1, Math.ceil(due - this.#options.now()))).unref();
  }

  #wake(): void {
    this.#wakesAt = Number.POSITIVE_INFINITY;
    for (const [terminalId, gate] of [...this.#gates]) {
      this.#tell(terminalId, gate);
      const isOver = this.#gone.has(terminalId) && gate.dueAt() === undefined;
      if (!isOver && !gate.isIdle(this.#options.now())) continue;
      this.#gates.delete(terminalId);
      this.#gone.delete(terminalId);
    }
    for (const gate of this.#gates.values()) this.#arm(gate);
  }
}
