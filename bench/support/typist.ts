import type { TypistCalls } from '../peers/typist.js';
import type { Cleanup } from './cleanup.js';
import { Peer } from './peer-calls.js';

/** Types into terminals that echo, one key after the other, over WebSocket, from a separate process. */
export class Typist {
  readonly #peer: Peer<TypistCalls>;

  constructor(cleanup: Cleanup) {
    this.#peer = Peer.start<TypistCalls>(cleanup, 'typist');
  }

  /** Connects to one terminal of the server at that URL. */
  async at(url: string, terminalId: string): Promise<Keyboard> {
    const socketUrl = `${url.replace(/^http/, 'ws')}/ws?terminals=${terminalId}`;
    const keyboard = await this.#peer.call('open', socketUrl, terminalId);
    return {
      type: (keys) => this.#peer.call('type', keyboard, keys),
      close: () => this.#peer.call('close', keyboard),
    };
  }
}

export interface Keyboard {
  /** Types `keys` keys. Resolves with the milliseconds from each keystroke to its echo. */
  type(keys: number): Promise<number[]>;
  close(): Promise<void>;
}
