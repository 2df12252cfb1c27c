import { type Labels, matches } from '../../../contract/labels.js';
import { MATCH_GATHER_MS, MATCH_REST_MS, MAX_REGEX_LINES_PER_S } from '../../../contract/limits.js';
import { TokenBucket } from '../../token-bucket.js';
import type { LineMatch } from './line-matches.js';
import { Literals } from './literals.js';
import type { FoundLines, LineSearch, LineSearchChange } from './watch-api.js';

/** What has been found in one terminal and is not reported yet. */
interface Found {
  matched: Map<string, { count: number; text: string }>;
  whole: FoundLines['whole'];
  leftOut: Map<string, number>;
}

/** What is searched for in terminals with the same labels, or in one that searches name. */
interface Group {
  literals: Literals<LineSearch>;
  isEmpty: boolean;
}

/**
 * The standing searches of a shard. Terminals with the same labels share one table of texts, which is made when one of
 * them prints. What is found is gathered for a moment, so that a flood of matches is one message.
 */
export class LineSearches {
  readonly #report: (found: FoundLines) => void;
  readonly #searches = new Map<string, LineSearch>();
  /** Searches that name their terminals, by terminal. */
  readonly #named = new Map<string, Set<LineSearch>>();
  readonly #groups = new Map<string, Group>();
  readonly #labels = new Map<string, Labels>();
  readonly #found = new Map<string, Found>();
  readonly #budget = new TokenBucket({ perSecond: MAX_REGEX_LINES_PER_S, burst: MAX_REGEX_LINES_PER_S });
  #version = 1;
  #timer: NodeJS.Timeout | undefined;
  #flushedAt = Number.NEGATIVE_INFINITY;

  constructor(report: (found: FoundLines) => void) {
    this.#report = report;
  }

  /** Whether nothing is searched at all. */
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
    this.#groups.clear();
  }

  labelled(id: string, labels: Labels): void {
    // Terminals look again for what is searched in them; those of a new terminal have not looked yet.
    if (this.#labels.has(id)) this.#version++;
    this.#labels.set(id, labels);
  }

  forget(id: string): void {
    this.#labels.delete(id);
    this.#groups.delete(idKey(id));
  }

  /** Returns what is searched for in a terminal; undefined for nothing. */
  of(id: string): Literals<LineSearch> | undefined {
    const labels = this.#labels.get(id) ?? {};
    const named = this.#named.get(id);
    const key = named ? idKey(id) : labelsKey(labels);
    let group = this.#groups.get(key);
    // The labels of a terminal that is named may have changed.
    if (!group || named) {
      const own = [...this.#searches.values()].filter((search) => {
        const isNamed = search.terminals === null || named?.has(search);
        return isNamed && (search.selector === null || matches(labels, search.selector));
      });
      const literals = new Literals(own.map((search) => [search.text, search] as const));
      group = { literals, isEmpty: own.length === 0 };
      this.#groups.set(key, group);
    }
    return group.isEmpty ? undefined : group.literals;
  }

  /** The version of the searches and of a terminal's labels: while it stays, so does what {@link of} returns. */
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

  /** Reports what has been found so far. */
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

  /** Whether something was reported just now: what follows is gathered for longer. */
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

function labelsKey(labels: Labels): string {
  return `labels ${JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)))}`;
}

function idKey(id: string): string {
  return `id ${id}`;
}
