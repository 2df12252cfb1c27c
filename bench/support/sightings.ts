/** Tells when a text was seen in the output of many terminals. */
export class Sightings {
  #text = '';
  #missing = 0;
  #allSeen = () => {};
  /** Of each terminal that has not shown the text, what it has printed since it was asked for. */
  readonly #printed = new Map<string, string>();
  readonly #seen = new Set<string>();

  /** Resolves once so many terminals have printed the text, counted from now on; one text at a time. */
  of(text: string, terminals: number): Promise<void> {
    this.#printed.clear();
    this.#seen.clear();
    this.#text = text;
    this.#missing = terminals;
    return new Promise((resolve) => {
      this.#allSeen = resolve;
    });
  }

  /** Some of a terminal's output, as it comes; a text may be spread over several. */
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
