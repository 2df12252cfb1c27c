import type { LinkData, XtermInternals } from './internals.js';

/**
 * Writes OSC 8. Cells of one opening belong to one link, and a link without an id that is opened again would be
 * another one: so one that must be opened twice gets an id.
 */
export class LinkWriter {
  /** Stands for a link of no importance. */
  static readonly any = -1;

  readonly #core: XtermInternals;
  /** Links without an id that were opened: where in the text their parameters stand. */
  readonly #opened = new Map<number, number>();
  readonly #named = new Map<number, string>();

  constructor(core: XtermInternals) {
    this.#core = core;
  }

  isKnown(link: number): boolean {
    return this.#data(link) !== undefined;
  }

  /** The sequence that opens `link`, or closes for 0; it will stand at `offset` of the text. */
  sequence(link: number, offset: number): string {
    const data = link === 0 ? undefined : this.#data(link);
    if (!data) return '\x1b]8;;\x07';
    return `\x1b]8;${this.#parameters(link, data, offset)};${data.uri}\x07`;
  }

  /** The finished text in its parts, with the ids that came to be needed put into the openings before. */
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
    // The colon keeps blanks at the end of an id from being cut.
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
