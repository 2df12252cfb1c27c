import { LIVE } from '../../fleet/streams/live-wire.js';
import type { ClientQueue } from '../ws/client-queue.js';
import type { FrameVariants } from '../ws/shared-frame.js';
import { StreamClient } from '../ws/stream-client.js';

/**
 * Another machine that watches one terminal here, for all of its own watchers. Whether it keeps up is decided as for any
 * WebSocket client. Unlike such a client it gets screens alongside the output, which goes on meanwhile: a watcher that
 * comes later must not cost the others a screen.
 */
export class RelayClient extends StreamClient {
  readonly #terminalId: string;
  #isWanted = false;
  #isRequested = false;
  /** Kind of the frame that the queue gets now. */
  frameKind: number = LIVE.output;

  constructor(terminalId: string, queue: ClientQueue) {
    super(
      {
        terminals: new Set([terminalId]),
        variant: 'sized',
        lifecycle: true,
        everything: false,
        activity: false,
        snapshot: false,
        screens: false,
      },
      queue,
    );
    this.#terminalId = terminalId;
  }

  /** Notes that a watcher wants the screen. */
  want(): void {
    this.#isWanted = true;
    this.#isRequested = false;
  }

  override takeOwed(): string[] {
    const owed = super.takeOwed();
    if (!this.#isWanted || this.#isRequested) return owed;
    this.#isRequested = true;
    return owed.includes(this.#terminalId) ? owed : [...owed, this.#terminalId];
  }

  override resyncFailed(id: string): void {
    super.resyncFailed(id);
    this.#isRequested = false;
  }

  override resync(id: string, frame: FrameVariants): boolean {
    const isReset = this.#as(LIVE.reset, () => super.resync(id, frame));
    const isSent = isReset || this.#as(LIVE.screen, () => this.#offerWanted(frame));
    if (isSent) this.#isWanted = false;
    this.#isRequested = false;
    return isReset;
  }

  /** Sends the screen if a watcher wants it. Without room the screen is requested again once the queue has drained. */
  #offerWanted({ sized }: FrameVariants): boolean {
    return this.#isWanted && this.live && sized !== undefined && this.queue.offer(sized);
  }

  #as<Result>(kind: number, work: () => Result): Result {
    this.frameKind = kind;
    try {
      return work();
    } finally {
      this.frameKind = LIVE.output;
    }
  }
}
