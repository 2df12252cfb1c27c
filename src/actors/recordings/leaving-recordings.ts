import { RECORDING_LEAVE_MS } from '../../contract/limits.js';

interface Leaving {
  over: Promise<void>;
  end: () => void;
}

/** The recordings whose terminals are gone, from then until they are being finished. Readers wait for them, for a while. */
export class LeavingRecordings {
  readonly #leaving = new Map<string, Leaving>();

  has(id: string): boolean {
    return this.#leaving.has(id);
  }

  add(id: string): void {
    if (this.has(id)) return;
    let end = () => {};
    const over = new Promise<void>((resolve) => {
      // The shard may hang; then readers do without the recording.
      const late = setTimeout(resolve, RECORDING_LEAVE_MS).unref();
      end = () => {
        clearTimeout(late);
        resolve();
      };
    });
    this.#leaving.set(id, { over, end });
  }

  delete(id: string): void {
    this.#leaving.get(id)?.end();
    this.#leaving.delete(id);
  }

  /** Resolves once this recording, or without an id each that is leaving now, is being finished, or is too late. */
  async settled(id?: string): Promise<void> {
    const all = id === undefined ? [...this.#leaving.values()] : [this.#leaving.get(id)];
    await Promise.all(all.map((leaving) => leaving?.over));
  }
}
