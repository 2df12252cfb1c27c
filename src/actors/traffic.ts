import type { EngineEvent } from './events.js';

/** Counts what clients have asked of terminals since the service began. */
export class Traffic {
  #created = 0;
  #typedBytes = 0;

  /** Terminals created; adopted ones are not. */
  get created(): number {
    return this.#created;
  }

  /** Bytes accepted for programs. */
  get typedBytes(): number {
    return this.#typedBytes;
  }

  onEvent(event: EngineEvent): void {
    if (event.type === 'created') this.#created++;
    else if (event.type === 'typed')
      this.#typedBytes += event.parts.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
  }
}
