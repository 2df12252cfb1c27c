import { MAX_LINK_ROWS, MAX_LINK_SEQUENCE_UNITS, MAX_LINK_UNITS } from '../../../../contract/limits.js';
import type { BufferInternals, LinkData, LinkEntry, XtermInternals } from '../xterm/internals.js';

/** A link that a screen knows, and the rows that keep it known. */
class Link implements LinkEntry {
  readonly id: number;
  readonly data: LinkData;
  readonly key: string | undefined;
  readonly rows: LinkedRow[] = [];
  /** Lists whose rows have the link. */
  readonly lists: RowList[] = [];

  constructor(id: number, data: LinkData) {
    this.id = id;
    this.data = data;
    this.key = data.id === undefined ? undefined : keyOf(data);
  }

  get units(): number {
    return this.data.uri.length + (this.data.id?.length ?? 0);
  }
}

/** A row that has links; it follows xterm's row when rows are inserted or deleted. */
class LinkedRow {
  readonly links = new Set<Link>();
}

type Lines = BufferInternals['lines'];

/** The linked rows of a list of lines of xterm, by their index in that list. */
class RowList {
  #rows: (LinkedRow | undefined)[] = [];
  /** Index in `#rows` of the first row that is not trimmed. */
  #head = 0;
  readonly #drop: (row: LinkedRow) => void;

  constructor(lines: Lines, drop: (row: LinkedRow) => void) {
    this.#drop = drop;
    lines.onTrim((amount) => this.#trim(amount));
    lines.onInsert(({ index, amount }) => this.#insert(index, amount));
    lines.onDelete(({ index, amount }) => this.#delete(index, amount));
  }

  at(index: number): LinkedRow | undefined {
    return this.#rows[this.#head + index];
  }

  obtain(index: number): LinkedRow {
    const at = this.#head + index;
    while (this.#rows.length <= at) this.#rows.push(undefined);
    const row = this.#rows[at] ?? new LinkedRow();
    this.#rows[at] = row;
    return row;
  }

  clear(index: number): void {
    const at = this.#head + index;
    const row = this.#rows[at];
    if (!row) return;
    this.#rows[at] = undefined;
    this.#drop(row);
  }

  clearAll(): void {
    const rows = this.#rows.slice(this.#head);
    this.#rows = [];
    this.#head = 0;
    for (const row of rows) if (row) this.#drop(row);
  }

  #trim(amount: number): void {
    for (let count = 0; count < amount && this.#head < this.#rows.length; count++) {
      this.clear(0);
      this.#head++;
    }
    if (this.#head < this.#rows.length && this.#head < COMPACT_FROM) return;
    this.#rows.splice(0, this.#head);
    this.#head = 0;
  }

  #insert(index: number, amount: number): void {
    const at = this.#head + index;
    if (at >= this.#rows.length) return;
    if (amount === 1) this.#rows.splice(at, 0, undefined);
    else
      this.#rows = [
        ...this.#rows.slice(0, at),
        ...new Array(amount).fill(undefined),
        ...this.#rows.slice(at),
      ];
  }

  #delete(index: number, amount: number): void {
    for (const row of this.#rows.splice(this.#head + index, amount)) if (row) this.#drop(row);
  }
}

/** OSC 8 data that closes the open link. */
const NO_LINK = ';';

/** The row on which a link was printed last. */
class Place {
  readonly #id: number;
  readonly #lines: Lines;
  readonly #list: RowList;
  readonly #row: LinkedRow | undefined;

  constructor(id: number, lines: Lines, list: RowList, line: number) {
    this.#id = id;
    this.#lines = lines;
    this.#list = list;
    this.#row = list.at(line);
  }

  isAt(id: number, lines: Lines, line: number): boolean {
    return id === this.#id && lines === this.#lines && this.#list.at(line) === this.#row;
  }
}

/** Number of trimmed rows that are removed together, because each removal moves all remaining rows. */
const COMPACT_FROM = 1024;

/**
 * Keeps the links (OSC 8) of a screen in place of xterm's link service, by the same rules: a link is known until all
 * rows are gone on which it was opened or printed. xterm has a marker for each link and row, and each marker listens
 * to every scroll: 200,000 links took 17 s. Here, rows know their links.
 *
 * A screen keeps at most {@link MAX_LINK_ROWS} pairs of a link and a row, and {@link MAX_LINK_UNITS} UTF-16 units of
 * URIs and ids; beyond that it forgets the oldest links.
 */
export class LinkTable {
  readonly #core: XtermInternals;
  readonly #byId: Map<number, Link>;
  readonly #byKey: Map<string, Link>;
  readonly #lists = new WeakMap<Lines, RowList>();
  readonly #watched = new WeakSet<BufferInternals>();
  #nextId = 1;
  #pairs = 0;
  #units = 0;
  #last: Place | undefined;

  constructor(core: XtermInternals) {
    const service = core._oscLinkService;
    this.#core = core;
    this.#byId = service._dataByLinkId as Map<number, Link>;
    this.#byKey = service._entriesWithId as Map<string, Link>;
    service.registerLink = (data) => this.#register(data);
    service.addLineToLink = (id, line) => this.#addLine(id, line);
    const { _inputHandler: input } = core;
    const setHyperlink = input.setHyperlink.bind(input);
    input.setHyperlink = (data) => setHyperlink(data.length > MAX_LINK_SEQUENCE_UNITS ? NO_LINK : data);
  }

  #register(data: LinkData): number {
    const { active } = this.#core.buffers;
    const line = active.ybase + active.y;
    const known = data.id === undefined ? undefined : this.#byKey.get(keyOf(data));
    if (known) {
      this.#addLine(known.id, line);
      return known.id;
    }
    const link = new Link(this.#nextId++, data);
    this.#byId.set(link.id, link);
    if (link.key !== undefined) this.#byKey.set(link.key, link);
    this.#units += link.units;
    const list = this.#listOf(active);
    this.#add(link, list, line);
    this.#last = new Place(link.id, active.lines, list, line);
    return link.id;
  }

  /** Adds a row to a link. As in xterm, the row with this index of the other screen counts as the same row. */
  #addLine(id: number, line: number): void {
    const { active } = this.#core.buffers;
    // xterm calls this for each character of a link.
    if (this.#last?.isAt(id, active.lines, line)) return;
    const link = this.#byId.get(id);
    if (!link || link.lists.some((list) => list.at(line)?.links.has(link))) return;
    const list = this.#listOf(active);
    this.#add(link, list, line);
    this.#last = new Place(id, active.lines, list, line);
  }

  #add(link: Link, list: RowList, line: number): void {
    const row = list.obtain(line);
    row.links.add(link);
    link.rows.push(row);
    if (!link.lists.includes(list)) link.lists.push(list);
    this.#pairs++;
    if (this.#pairs > MAX_LINK_ROWS || this.#units > MAX_LINK_UNITS) this.#forgetOldest(link);
  }

  #forgetOldest(latest: Link): void {
    for (const link of this.#byId.values()) {
      if (this.#pairs <= MAX_LINK_ROWS && this.#units <= MAX_LINK_UNITS) return;
      if (link === latest) continue;
      for (const row of link.rows) row.links.delete(link);
      this.#pairs -= link.rows.length;
      link.rows.length = 0;
      this.#forget(link);
    }
  }

  #drop(row: LinkedRow): void {
    for (const link of row.links) {
      link.rows.splice(link.rows.indexOf(row), 1);
      this.#pairs--;
      if (link.rows.length === 0) this.#forget(link);
    }
    row.links.clear();
  }

  #forget(link: Link): void {
    this.#units -= link.units;
    this.#byId.delete(link.id);
    if (link.key !== undefined) this.#byKey.delete(link.key);
  }

  #listOf(buffer: BufferInternals): RowList {
    this.#watch(buffer);
    const { lines } = buffer;
    const known = this.#lists.get(lines);
    if (known) return known;
    const list = new RowList(lines, (row) => this.#drop(row));
    this.#lists.set(lines, list);
    return list;
  }

  /** Forgets the links of a row when xterm erases the whole row. */
  #watch(buffer: BufferInternals): void {
    if (this.#watched.has(buffer)) return;
    this.#watched.add(buffer);
    const clearMarkers = buffer.clearMarkers.bind(buffer);
    const clearAllMarkers = buffer.clearAllMarkers.bind(buffer);
    buffer.clearMarkers = (line) => {
      clearMarkers(line);
      this.#lists.get(buffer.lines)?.clear(line);
    };
    buffer.clearAllMarkers = () => {
      clearAllMarkers();
      this.#lists.get(buffer.lines)?.clearAll();
    };
  }
}

function keyOf({ id, uri }: LinkData): string {
  return `${id};;${uri}`;
}
