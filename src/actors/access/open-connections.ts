import type { Holder } from './kept-token.js';

/** Longest delay that a timer takes. */
const MAX_TIMER_MS = 2_147_483_647;

interface Open {
  end: () => void;
  timer: NodeJS.Timeout | undefined;
}

/** The requests and streams in progress of each token, which end with it. */
export class OpenConnections {
  readonly #open = new Map<string, Set<Open>>();

  /**
   * Calls `end` when the token is deleted or expires; the answer ends this.
   *
   * @param isValid - asked when its time should be over: the clock may have been set meanwhile
   */
  add(
    { id, expiresAt }: Pick<Holder, 'id' | 'expiresAt'>,
    isValid: () => boolean,
    end: () => void,
  ): () => void {
    const open: Open = { end, timer: undefined };
    const watch = () => {
      if (!isValid()) return this.#end(id, open);
      if (expiresAt === null) return;
      const delay = Math.min(Math.max(expiresAt - Date.now(), 1), MAX_TIMER_MS);
      open.timer = setTimeout(watch, delay).unref();
    };
    const ofToken = this.#open.get(id) ?? new Set();
    this.#open.set(id, ofToken.add(open));
    watch();
    return () => this.#forget(id, open);
  }

  /** Ends all that a token has open. */
  end(id: string): void {
    for (const open of [...(this.#open.get(id) ?? [])]) this.#end(id, open);
  }

  #end(id: string, open: Open): void {
    this.#forget(id, open);
    open.end();
  }

  #forget(id: string, open: Open): void {
    clearTimeout(open.timer);
    const ofToken = this.#open.get(id);
    ofToken?.delete(open);
    if (ofToken?.size === 0) this.#open.delete(id);
  }
}
