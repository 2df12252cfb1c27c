/** Between two messages of an event stream. */
const END = '\n\n';

/** Name of a terminal that is renamed for the `number`th time. */
export function nameOf(terminal: number, number: number): string {
  return `terminal ${terminal} change ${number}`;
}

/**
 * The event stream of one client, of numbered terminals whose names are numbered from 0 on. It looks for the numbers
 * alone, since the parsing of JSON for a hundred clients would take the time of the sender.
 */
export class NumberedEvents {
  /** Times of arrival of all events, in their order. */
  readonly times: number[] = [];
  /** The next number of each terminal. */
  readonly #next: number[] = [];
  #isReady = false;
  #rest = '';

  /** Whether the first message has come. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Takes the next text, which has arrived at this time. Throws if an event is missing, or comes twice. */
  take(text: string, at: number): void {
    const messages = (this.#rest + text).split(END);
    this.#rest = messages.pop()!;
    for (const message of messages) {
      if (/^event: ready$/m.test(message)) this.#isReady = true;
      if (/^event: resync$/m.test(message)) throw new Error(`a client was given a resync: ${message}`);
      const [, terminal, number] = /^data: .*"name":"terminal (\d+) change (\d+)"/m.exec(message) ?? [];
      if (terminal === undefined) continue;
      const next = this.#next[Number(terminal)] ?? 0;
      if (Number(number) !== next) throw new Error(`change ${number} of terminal ${terminal}, not ${next}`);
      this.#next[Number(terminal)] = next + 1;
      this.times.push(at);
    }
  }
}
