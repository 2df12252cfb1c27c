import { AWAITED_OUTPUT_MS, GATHERED_OUTPUT_BYTES } from '../../../contract/limits.js';
import type { Attachment } from './attachment.js';

/** Decides which output of a terminal is sent at once, because somebody may wait for it. */
export class AwaitedOutput {
  #typedAt = Number.NEGATIVE_INFINITY;

  /** Notes input: output is sent at once for some time, and so is the output before it. */
  typed(attachment: Attachment | null): void {
    this.#typedAt = performance.now();
    attachment?.hurry();
  }

  /** @param position - of the end of the output */
  printed(attachment: Attachment, position: number): void {
    const isAwaited = performance.now() - this.#typedAt < AWAITED_OUTPUT_MS;
    attachment.wake(isAwaited || position - attachment.sent >= GATHERED_OUTPUT_BYTES);
  }
}
