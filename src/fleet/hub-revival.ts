/** Pause between two looks at the hub's server while the link does not reach it. */
const REVIVE_MS = 1_000;

export interface HubRevivalOptions {
  isHub: () => boolean;
  /** Starts the hub's server again if it has ended. */
  revive: () => Promise<void>;
  onFault: (error: unknown) => void;
}

/** At the hub: starts its server again whenever it has ended, for as long as the link does not reach it. */
export class HubRevival {
  readonly #options: HubRevivalOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HubRevivalOptions) {
    this.#options = options;
  }

  /** The link does not reach the server. The interval goes on over failed tries to connect, which are more frequent. */
  begin(): void {
    const { isHub, revive, onFault } = this.#options;
    if (isHub()) this.#timer ??= setInterval(() => void revive().catch(onFault), REVIVE_MS);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
