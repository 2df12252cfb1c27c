import { type Labels, matches } from '../../contract/labels.js';
import { MAX_GONE_TERMINALS } from '../../contract/limits.js';
import type { EngineEvent } from '../events.js';
import type { Terminals } from '../terminals.js';
import type { Holder } from './kept-token.js';

/** Facts about a terminal that decide whether a token reaches it. */
interface Facts {
  labels: Labels;
  /** Ids of the tokens with which it was created. */
  madeWith: readonly string[];
}

/**
 * Knows which terminals a token reaches. Labels and makers of terminals that have gone are remembered for a while,
 * since clients may still read events about them.
 */
export class KnownTerminals {
  readonly #terminals: Pick<Terminals, 'list' | 'startOf'>;
  readonly #gone = new Map<string, Facts>();
  readonly #seen = new Map<string, Facts>();

  constructor(terminals: Pick<Terminals, 'list' | 'startOf'>) {
    this.#terminals = terminals;
    for (const { id } of terminals.list('all')) this.#note(id);
  }

  onEvent(event: EngineEvent): void {
    if (event.type === 'created' || event.type === 'adopted' || event.type === 'updated')
      this.#note(event.id);
    if (event.type === 'removed') this.#forget(event.id);
  }

  /** Returns whether there is a terminal of this id, running or exited. */
  has(id: string): boolean {
    return this.#seen.has(id);
  }

  /** Returns whether there is, or was a while ago, a terminal of this id. */
  isKnown(id: string): boolean {
    return this.#seen.has(id) || this.#gone.has(id);
  }

  /**
   * Returns whether a token reaches a terminal.
   *
   * @param labels - the labels in an event, for a terminal that is not known
   */
  reaches(holder: Holder, id: string, labels?: Labels): boolean {
    const facts = this.#seen.get(id) ?? this.#gone.get(id);
    const { selector, own, terminalId } = holder;
    if (selector) {
      const known = facts?.labels ?? labels;
      if (!known || !matches(known, selector)) return false;
    }
    return !own || id === terminalId || (facts?.madeWith.includes(holder.id) ?? false);
  }

  /** Returns the running terminals that were created with a token, or with tokens made from it. */
  madeWith(tokenId: string): string[] {
    const running = this.#terminals.list('running');
    return running.map(({ id }) => id).filter((id) => this.#seen.get(id)?.madeWith.includes(tokenId));
  }

  #note(id: string): void {
    const { meta } = this.#terminals.startOf(id);
    this.#seen.set(id, { labels: meta.labels, madeWith: meta.madeWith });
  }

  #forget(id: string): void {
    const facts = this.#seen.get(id);
    if (!facts) return;
    this.#seen.delete(id);
    this.#gone.set(id, facts);
    const [oldest] = this.#gone.keys();
    if (oldest !== undefined && this.#gone.size > MAX_GONE_TERMINALS) this.#gone.delete(oldest);
  }
}
