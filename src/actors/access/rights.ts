import { Verb } from '../../contract/access.js';
import { DomainError } from '../../contract/errors.js';
import { type Labels, matches } from '../../contract/labels.js';
import type { ShownToken } from './kept-token.js';
import type { KnownTerminals } from './known-terminals.js';
import type { TokenRates } from './token-rates.js';
import { allows } from './tokens.js';

/** Rights of one client. */
export class Rights {
  /** The token of the client; undefined for a client that may do everything. */
  readonly holder: ShownToken | undefined;
  readonly #terminals: Pick<KnownTerminals, 'reaches' | 'isKnown'> | undefined;
  readonly #rates: Pick<TokenRates, 'take'> | undefined;

  /**
   * @param terminals - decides which terminals `holder` reaches
   * @param rates - counts its requests
   */
  constructor(
    holder?: ShownToken,
    terminals?: Pick<KnownTerminals, 'reaches' | 'isKnown'>,
    rates?: Pick<TokenRates, 'take'>,
  ) {
    this.holder = holder;
    this.#rates = rates;
    this.#terminals = terminals;
  }

  /** Whether the client is bound to some terminals. */
  get isBound(): boolean {
    return this.holder !== undefined && (this.holder.own || this.holder.selector !== null);
  }

  get verbs(): readonly Verb[] {
    return Verb.options.filter((verb) => this.allows(verb));
  }

  allows(verb: Verb): boolean {
    return this.holder === undefined || allows(this.holder, verb);
  }

  /** Counts a request, or a command of a WebSocket. Throws token-rate. */
  count(): void {
    if (this.holder) this.#rates?.take(this.holder);
  }

  /** Throws verb-missing, which names the verbs that are needed. */
  require(...verbs: readonly Verb[]): void {
    if (verbs.every((verb) => this.allows(verb))) return;
    const message = `The token lacks the verb ${verbs.filter((verb) => !this.allows(verb)).join(', ')}`;
    throw new DomainError('verb-missing', message, { details: { needs: verbs } });
  }

  /**
   * Returns whether the client may know of a terminal. A bound client may not know of an unknown id.
   *
   * @param labels - the labels in an event, for a terminal that is not known
   */
  readonly sees = (id: string, labels?: Labels): boolean => {
    if (!this.isBound || !this.holder) return true;
    return this.#terminals?.reaches(this.holder, id, labels) ?? false;
  };

  /**
   * Throws the same terminal-not-found for a terminal that does not exist and for a terminal that the client must not
   * know of.
   */
  requireSight(ids: Iterable<string>): void {
    for (const id of ids) if (!this.sees(id)) throw new DomainError('terminal-not-found');
  }

  /**
   * Throws terminal-not-found for a terminal that has gone out of the client's sight since the client had work done in it.
   * A terminal that the service no longer knows, such as one that ended before a restart, counts as in its sight.
   */
  requireSightOfOwn(ids: readonly string[]): void {
    this.requireSight(ids.filter((id) => this.#terminals?.isKnown(id) ?? true));
  }

  /** Throws outside-scope if the selector of the client's token does not match these labels. */
  requireLabels(labels: Labels): void {
    const { selector } = this.holder ?? {};
    if (selector && !matches(labels, selector)) throw new DomainError('outside-scope');
  }
}

/** The rights of a client that may do everything. */
export const ALL_RIGHTS = new Rights();
