import { MAX_RENDERS } from '../../contract/limits.js';

/** Runs renderings in the order of the requests, at most MAX_RENDERS at a time, because each needs its own screen. */
export class RenderTurns {
  #running = 0;
  readonly #waiting: Array<() => void> = [];

  async take<Result>(render: () => Promise<Result>): Promise<Result> {
    if (this.#running === MAX_RENDERS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await render();
    } finally {
      // The next rendering takes over this place.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
