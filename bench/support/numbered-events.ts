/** Separator of two messages of an event stream. */
const END = '\n\n';

/** Returns the name that the change with this number gives to a terminal. */
export function nameOf(terminal: number, number: number): string {
  return `terminal ${terminal} change ${number}`;
}

/**
 * Reads the event stream of one client: changes of numbered terminals, whose new names are numbered from 0 on. Searches
 * only for the numbers, since parsing JSON for a hundred clients would take CPU time from the sender.
 */
export class NumberedEvents {
  /** Times of arrival of all events, in their order. */
  readonly times: number[] = [];
  /** Number that is expected next from each terminal. */
  readonly #next: number[] = [];
  #isReady = false;
  #rest = '';

  /** Whether the message `ready` has arrived. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Takes the next text, which has arrived at this time. Throws if an event is missing, or comes twice. */
  take(text: string, at: number): void {
    const messages = (this.#rest + text).split(END);
    this.#rest = messages.pop()!;
    for (const message of messages) {
      if (/^event: ready$/m.test(message)) this.#isReady = true;
      if (/^event: resync$/m.test(message))
        throw new Error(`a client got a resync in place of events: ${message}`);
      const [, terminal, number] = /^data: .*"name":"terminal (\d+) change (\d+)"/m.exec(message) ?? [];
      if (terminal === undefined) continue;
      const next = this.#next[Number(terminal)] ?? 0;
      if (Number(number) !== next) throw new Error(`change ${number} of terminal ${terminal}, not ${next}`);
      this.#next[Number(terminal)] = next + 1;
      this.times.push(at);
    }
  }
}
