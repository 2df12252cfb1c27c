import { dropsLine } from '../typing.js';
import type { TypedKeys } from './reactions.js';

/** Follows whether somebody submits or drops the line of a prompt after the prompt's last key. */
export class LaterDrop {
  readonly #stop: () => void;
  #areTyped = false;
  #isDropped = false;

  /** Create it before the keys are typed, and close it. */
  constructor({ terminalId, keys, listen }: Pick<TypedKeys, 'terminalId' | 'keys' | 'listen'>) {
    this.#stop = listen((event) => {
      if (event.type !== 'typed' || event.id !== terminalId) return;
      // Input is reported in the order in which it reaches the program. Compares the array itself, as others may type
      // the same text.
      if (event.parts === keys) this.#areTyped = true;
      else if (this.#areTyped && dropsLine(event.parts)) this.#isDropped = true;
    });
  }

  get isDropped(): boolean {
    return this.#isDropped;
  }

  close(): void {
    this.#stop();
  }
}
