import { type Labels, matches } from '../../../contract/labels.js';
import { MATCH_GATHER_MS, MATCH_REST_MS, MAX_REGEX_LINES_PER_S } from '../../../contract/limits.js';
import { TokenBucket } from '../../token-bucket.js';
import type { LineMatch } from './line-matches.js';
import { Literals } from './literals.js';
import type { FoundLines, LineSearch, LineSearchChange } from './watch-api.js';

/** Sets of labels for which the searches are kept; more are looked up again. */
const MAX_LABEL_SETS = 1_000;

/** Lines that were found in one terminal and are not reported yet. */
interface Found {
  matched: Map<string, { count: number; text: string }>;
  whole: FoundLines['whole'];
  leftOut: Map<string, number>;
}

/**
 * The standing searches of a shard. Terminals to which the same searches apply share one table of texts, which is made when
 * one of them prints. Found lines are gathered for a moment, so that a flood of matches is one message.
 */
export class LineSearches {
  readonly #report: (found: FoundLines) => void;
  readonly #searches = new Map<string, LineSearch>();
  /** Searches that name their terminals, by terminal. */
  readonly #named = new Map<string, Set<LineSearch>>();
  /** Texts of the searches that apply to some terminal, by the ids of these searches. */
  readonly #literals = new Map<string, Literals<LineSearch>>();
  /** Texts for terminals that no search names, by their labels: so many terminals cost one look at all searches. */
  readonly #byLabels = new Map<string, Literals<LineSearch> | undefined>();
  readonly #labels = new Map<string, Labels>();
  readonly #found = new Map<string, Found>();
  readonly #budget = new TokenBucket({ perSecond: MAX_REGEX_LINES_PER_S, burst: MAX_REGEX_LINES_PER_S });
  #version = 1;
  #timer: NodeJS.Timeout | undefined;
  #flushedAt = Number.NEGATIVE_INFINITY;

  constructor(report: (found: FoundLines) => void) {
    this.#report = report;
  }

  /** Whether there is no search. */
  get isEmpty(): boolean {
    return this.#searches.size === 0;
  }

  change({ add, drop }: LineSearchChange): void {
    for (const id of drop) this.#drop(id);
    for (const search of add) {
      this.#drop(search.id);
      this.#searches.set(search.id, search);
      for (const terminal of search.terminals ?? []) {
        const named = this.#named.get(terminal);
        if (named) named.add(search);
        else this.#named.set(terminal, new Set([search]));
      }
    }
    this.#version++;
    this.#literals.clear();
    this.#byLabels.clear();
  }

  labelled(id: string, labels: Labels): void {
    // A new version makes terminals fetch their searches again; a new terminal has not fetched any yet.
    if (this.#labels.has(id)) this.#version++;
    this.#labels.set(id, labels);
  }

  forget(id: string): void {
    this.#labels.delete(id);
  }

  /** Returns the texts to search for in a terminal; undefined if there are none. */
  of(id: string): Literals<LineSearch> | undefined {
    const labels = this.#labels.get(id) ?? {};
    const named = this.#named.get(id);
    if (named) return this.#find(labels, named);
    const key = JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)));
    if (this.#byLabels.has(key)) return this.#byLabels.get(key);
    // Each terminal may have a label of its own.
    if (this.#byLabels.size >= MAX_LABEL_SETS) this.#byLabels.clear();
    const literals = this.#find(labels);
    this.#byLabels.set(key, literals);
    return literals;
  }

  #find(labels: Labels, named?: ReadonlySet<LineSearch>): Literals<LineSearch> | undefined {
    const own = [...this.#searches.values()].filter((search) => {
      const isNamed = search.terminals === null || named?.has(search);
      return isNamed && (search.selector === null || matches(labels, search.selector));
    });
    if (own.length === 0) return undefined;
    const key = own.map((search) => search.id).join(' ');
    let literals = this.#literals.get(key);
    if (!literals) {
      literals = new Literals(own.map((search) => [search.text, search] as const));
      this.#literals.set(key, literals);
    }
    return literals;
  }

  /** Version of the searches and of the terminals' labels: while it stays the same, so does the result of {@link of}. */
  get version(): number {
    return this.#version;
  }

  /** Takes lines that were found, and reports them soon. */
  found(id: string, lines: readonly LineMatch<LineSearch>[]): void {
    // A search may have been dropped since the text was pushed.
    const wanted = lines.filter(({ owner }) => this.#searches.has(owner.id));
    if (wanted.length === 0) return;
    let found = this.#found.get(id);
    if (!found) {
      found = { matched: new Map(), whole: [], leftOut: new Map() };
      this.#found.set(id, found);
    }
    for (const { owner, line, text } of wanted) {
      if (!owner.isWhole) {
        const count = (found.matched.get(owner.id)?.count ?? 0) + 1;
        found.matched.set(owner.id, { count, text });
      } else if (this.#budget.has(1)) {
        this.#budget.take(1);
        found.whole.push({ search: owner.id, line, text });
      } else found.leftOut.set(owner.id, (found.leftOut.get(owner.id) ?? 0) + 1);
    }
    this.#timer ??= setTimeout(() => this.flush(), this.#wasFlushed() ? MATCH_REST_MS : MATCH_GATHER_MS);
  }

  /** Reports the lines found so far. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushedAt = performance.now();
    for (const [id, { matched, whole, leftOut }] of this.#found) {
      this.#report({
        type: 'found',
        id,
        whole,
        matched: [...matched].map(([search, match]) => ({ search, ...match })),
        leftOut: [...leftOut].map(([search, count]) => ({ search, count })),
      });
    }
    this.#found.clear();
  }

  /** Returns whether there was a report just now: found lines are then gathered for longer. */
  #wasFlushed(): boolean {
    return performance.now() - this.#flushedAt < MATCH_REST_MS;
  }

  #drop(id: string): void {
    const search = this.#searches.get(id);
    this.#searches.delete(id);
    for (const terminal of search?.terminals ?? []) {
      const named = this.#named.get(terminal);
      named?.delete(search!);
      if (named?.size === 0) this.#named.delete(terminal);
    }
  }
}
