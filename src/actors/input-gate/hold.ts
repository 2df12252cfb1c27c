/** The right to type several times, perhaps with pauses, while no lease is granted to another client. */
export interface Hold {
  /**
   * Throws lease-lost once the lease under which it was granted has ended, and the refusal of a writer that may not type
   * any more. Call it in the turn in which you send.
   */
  check(): void;
  /** Must be called once everything is typed; further calls do nothing. */
  release(): void;
}
