import type { LinkData, XtermInternals } from '../xterm/internals.js';

/**
 * Writes OSC 8. All cells printed under one opening belong to one link. A link without an id would become another link
 * if it were opened again, so a link that must be opened twice gets an id.
 */
export class LinkWriter {
  /** Stands for any link, for use where only the flag that a link sets matters. */
  static readonly any = -1;

  readonly #core: XtermInternals;
  /** Links without an id that were opened, and the offset of their parameters in the text. */
  readonly #opened = new Map<number, number>();
  readonly #named = new Map<number, string>();

  constructor(core: XtermInternals) {
    this.#core = core;
  }

  isKnown(link: number): boolean {
    return this.#data(link) !== undefined;
  }

  /** Returns the sequence that opens `link`, or for 0 closes the open link. Its place in the text must be `offset`. */
  sequence(link: number, offset: number): string {
    const data = link === 0 ? undefined : this.#data(link);
    if (!data) return '\x1b]8;;\x07';
    return `\x1b]8;${this.#parameters(link, data, offset)};${data.uri}\x07`;
  }

  /** Returns the parts of the finished text, with ids put into the first openings of links that were opened twice. */
  withNames(parts: readonly string[]): string[] {
    const places = [...this.#named].map(([link, name]) => ({ at: this.#opened.get(link)!, name }));
    places.sort((a, b) => a.at - b.at);
    let begin = 0;
    let next = 0;
    return parts.map((part) => {
      let result = '';
      let from = 0;
      for (; next < places.length && places[next]!.at < begin + part.length; next++) {
        const { at, name } = places[next]!;
        result += `${part.slice(from, at - begin)}id=${name}`;
        from = at - begin;
      }
      begin += part.length;
      return result + part.slice(from);
    });
  }

  #parameters(link: number, { id, uri }: LinkData, offset: number): string {
    // The colon keeps xterm from trimming blanks at the end of an id.
    if (id !== undefined) return `id=${id}:`;
    if (link === LinkWriter.any) return '';
    if (!this.#opened.has(link)) {
      this.#opened.set(link, offset + '\x1b]8;'.length);
      return '';
    }
    const name = this.#named.get(link) ?? this.#freeName(link, uri);
    this.#named.set(link, name);
    return `id=${name}`;
  }

  #freeName(link: number, uri: string): string {
    const { _entriesWithId: taken } = this.#core._oscLinkService;
    let name = `at${link}`;
    while (taken.has(`${name};;${uri}`)) name += '+';
    return name;
  }

  #data(link: number): LinkData | undefined {
    return link === LinkWriter.any ? { uri: 'x' } : this.#core._oscLinkService.getLinkData(link);
  }
}
