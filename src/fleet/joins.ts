import type { Joining } from '../contract/fleet-machines.js';
import { VERSION } from '../contract/version.js';
import type { Identity } from './identity.js';
import { joinFleet, type WaitingJoin } from './join-fleet.js';
import type { OutsideSettings } from './servers.js';
import type { FleetFacts } from './state.js';

export interface JoinsOptions {
  me: () => { deviceName: string; os: 'windows' | 'macos' | 'linux' };
  /** Enters the fleet that has admitted this machine. */
  enter: (facts: FleetFacts) => Promise<void>;
  onFault: (error: unknown) => void;
}

/** The attempt of this machine to join a fleet. */
export class Joins {
  readonly #options: JoinsOptions;
  #current: { shown: Joining; ended: AbortController } | undefined;

  constructor(options: JoinsOptions) {
    this.#options = options;
  }

  /** The last attempt, until it has succeeded. */
  get shown(): Joining | undefined {
    return this.#current?.shown;
  }

  get isWaiting(): boolean {
    return this.shown?.state === 'waiting';
  }

  /** Begins to join; resolves once both machines show their words. Rejects as {@link joinFleet} does. */
  async begin(code: string, identity: Identity, settings: OutsideSettings): Promise<Joining> {
    const { deviceName, os } = this.#options.me();
    const ended = new AbortController();
    const me = { deviceName, os, version: VERSION };
    const { words, hub, done } = await joinFleet({ code, identity, me, settings, signal: ended.signal });
    const current = { shown: { words, hub, state: 'waiting' } as Joining, ended };
    this.#current = current;
    this.#finish(done, current).catch((error: unknown) => {
      current.shown = { ...current.shown, state: 'ended' };
      this.#options.onFault(error);
    });
    return current.shown;
  }

  /** Gives up. */
  abort(): void {
    this.#current?.ended.abort();
    this.#current = undefined;
  }

  async #finish(done: WaitingJoin['done'], current: { shown: Joining }): Promise<void> {
    const result = await done;
    if (this.#current !== current) return;
    if (typeof result === 'string') {
      current.shown = { ...current.shown, state: result };
      return;
    }
    await this.#options.enter(result);
    this.#current = undefined;
  }
}
