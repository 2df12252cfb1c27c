/** Output of terminals, collected as it arrives. */
export class Printed {
  readonly #pieces = new Map<string, string[]>();

  add(terminalId: string, content: string): void {
    const pieces = this.#pieces.get(terminalId);
    if (pieces === undefined) this.#pieces.set(terminalId, [content]);
    else pieces.push(content);
  }

  all(terminalId: string): string {
    return (this.#pieces.get(terminalId) ?? []).join('');
  }

  /**
   * Returns a function that returns true once the text has been printed. Each call searches only new output: in a long
   * output, a search from the start after each frame takes a minute.
   */
  search(terminalId: string, text: string): () => boolean {
    let found = false;
    let looked = 0;
    let end = '';
    return () => {
      const pieces = this.#pieces.get(terminalId) ?? [];
      const fresh = end + pieces.slice(looked).join('');
      looked = pieces.length;
      // The text may begin in output that was already searched.
      end = fresh.slice(Math.max(0, fresh.length - text.length + 1));
      found ||= fresh.includes(text);
      return found;
    };
  }
}
