import type { EngineEvent } from './events.js';

/** Counts what clients have asked of terminals since the service started. */
export class Traffic {
  #created = 0;
  #typedBytes = 0;

  /** Number of terminals created, without adopted ones. */
  get created(): number {
    return this.#created;
  }

  /** Bytes of input accepted for programs. */
  get typedBytes(): number {
    return this.#typedBytes;
  }

  onEvent(event: EngineEvent): void {
    if (event.type === 'created') this.#created++;
    else if (event.type === 'typed')
      this.#typedBytes += event.parts.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
  }
}
