/** The right to type several times, perhaps with pauses, while no lease is given to anybody else. */
export interface Hold {
  /** Throws lease-lost once the lease under which it was given has ended. Call it in the turn in which you send. */
  check(): void;
  /** Must be called when all is typed; further calls do nothing. */
  release(): void;
}
