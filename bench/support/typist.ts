import { openStream, type Stream } from '../../test/support/stream.js';

/** Types into a terminal that echoes, one key after the other, over a WebSocket. */
export class Typist {
  readonly #stream: Stream;
  readonly #terminalId: string;
  #echoed = () => {};
  #keys = 0;

  private constructor(stream: Stream, terminalId: string) {
    this.#stream = stream;
    this.#terminalId = terminalId;
  }

  static async at(url: string, terminalId: string): Promise<Typist> {
    const typist: Typist = new Typist(
      await openStream(url, `terminals=${terminalId}`, () => typist.#echoed()),
      terminalId,
    );
    return typist;
  }

  /** Gives the milliseconds from each keystroke to its echo. */
  async type(keys: number): Promise<number[]> {
    const times: number[] = [];
    while (times.length < keys) {
      times.push(await this.#press());
      // A person pauses between keys, so that each finds the service idle.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return times;
  }

  close(): Promise<unknown> {
    return this.#stream.close();
  }

  async #press(): Promise<number> {
    const arrived = new Promise<void>((resolve) => {
      this.#echoed = resolve;
    });
    const begin = performance.now();
    const payload = { action: 'terminal:input', terminalId: this.#terminalId, data: 'x' };
    this.#stream.send({ id: this.#keys++, type: 'command', payload });
    await arrived;
    return performance.now() - begin;
  }
}
