import { MAX_RENDERS } from '../../contract/limits.js';

/** Renders what is asked for a few at a time, in the order of the requests: each takes a screen of its own. */
export class RenderTurns {
  #running = 0;
  readonly #waiting: Array<() => void> = [];

  async take<Result>(render: () => Promise<Result>): Promise<Result> {
    if (this.#running === MAX_RENDERS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await render();
    } finally {
      // The next one takes over the place.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
