/** Detects when a text has appeared in the output of many terminals. */
export class Sightings {
  #text = '';
  #missing = 0;
  #allSeen = () => {};
  /** Output since the last call of `of`, for each terminal that has not printed the text yet. */
  readonly #printed = new Map<string, string>();
  readonly #seen = new Set<string>();

  /** Resolves once this many terminals have printed the text after this call. Only one text at a time. */
  of(text: string, terminals: number): Promise<void> {
    this.#printed.clear();
    this.#seen.clear();
    this.#text = text;
    this.#missing = terminals;
    return new Promise((resolve) => {
      this.#allSeen = resolve;
    });
  }

  /** Takes a piece of a terminal's output; the text may be spread over several pieces. */
  take(terminal: string, content: string): void {
    if (this.#seen.has(terminal)) return;
    const printed = (this.#printed.get(terminal) ?? '') + content;
    if (!printed.includes(this.#text)) {
      this.#printed.set(terminal, printed);
      return;
    }
    this.#seen.add(terminal);
    this.#missing -= 1;
    if (this.#missing === 0) this.#allSeen();
  }
}
