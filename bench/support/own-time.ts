/** A process as one look at the machine shows it. */
export interface Seen {
  pid: number;
  parent: number;
  /**
   * Whether the process leads a session and has no terminal, like a daemon. A daemon outlives its parent, so no
   * parent's time ever includes a daemon's time.
   */
  isDaemon: boolean;
  /** CPU time of the process and of its children that have ended, in any unit. */
  time: number;
}

/** Adds up the CPU time of a run's processes, ended processes included, from repeated looks at the machine. */
export class OwnTime {
  #last = new Map<number, Seen>();
  /** Time of ended processes that no process of the run has waited for. */
  #ended = 0;

  /**
   * Returns the CPU time of all processes of the run so far. The time of an ended process passes to its parent when the
   * parent waits for it. If no process of the run waits for it, its time after the last look is lost.
   *
   * @param own - the living processes of the run
   */
  take(own: readonly Seen[]): number {
    const now = new Map(own.map((seen) => [seen.pid, seen]));
    for (const seen of this.#last.values()) {
      if (now.has(seen.pid) || this.#isWaitedFor(seen, now)) continue;
      this.#ended += seen.time;
    }
    this.#last = now;
    return own.reduce((sum, { time }) => sum + time, this.#ended);
  }

  #isWaitedFor({ parent, isDaemon }: Seen, now: ReadonlyMap<number, Seen>): boolean {
    return now.has(parent) || (this.#last.has(parent) && !isDaemon);
  }
}
