import type { AttachedTerminal } from './attached-terminal.js';
import { snapshotSteps } from './screen-answers.js';

/** Posts the screen of a terminal for clients that missed output. */
export class Resyncs {
  readonly #terminal: () => Promise<AttachedTerminal>;
  #running: Promise<void> | undefined;

  /** @param terminal - resolves once the terminal has caught up */
  constructor(terminal: () => Promise<AttachedTerminal>) {
    this.#terminal = terminal;
  }

  /**
   * Posts the screen; the clients' frames continue exactly from there. Concurrent calls share one resync: the output that
   * a later caller missed also lies before the hold, so the same screen is right for both.
   */
  post(): Promise<void> {
    this.#running ??= this.#post().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #post(): Promise<void> {
    const { screenActor, stream, secret } = await this.#terminal();
    stream.hold();
    try {
      const asking = { own: true, need: 'shown' } as const;
      const screen = await screenActor.askSteps((view) => snapshotSteps(view, secret), asking);
      stream.resync(screen, Buffer.from(screen.pending));
    } finally {
      stream.release();
    }
  }
}
