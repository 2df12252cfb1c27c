import type { EngineEvent } from './events.js';

/** Counts terminals created, bytes typed and kills for want of memory since the service started. */
export class Traffic {
  #created = 0;
  #typedBytes = 0;
  #oomKilled = 0;

  /** Number of terminals created, without adopted ones. */
  get created(): number {
    return this.#created;
  }

  /** Bytes of input accepted for programs. */
  get typedBytes(): number {
    return this.#typedBytes;
  }

  /** Number of terminals whose programs the kernel killed for want of memory, as far as that is known. */
  get oomKilled(): number {
    return this.#oomKilled;
  }

  onEvent(event: EngineEvent): void {
    if (event.type === 'created') this.#created++;
    else if (event.type === 'exited') this.#oomKilled += event.exit.oomKilled ? 1 : 0;
    else if (event.type === 'typed')
      this.#typedBytes += event.parts.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
  }
}
