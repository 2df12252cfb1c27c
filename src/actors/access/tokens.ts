import type { Grant, RotateBody, Token, TokenBody, Verb } from '../../contract/access.js';
import { DomainError } from '../../contract/errors.js';
import { MAX_GRANT_DEPTH, MAX_GRANTS, MAX_TOKENS } from '../../contract/limits.js';
import type { Collection } from '../../store/store.js';
import {
  type Holder,
  hashOf,
  type KeptToken,
  newTokenId,
  newTokenText,
  type ShownToken,
  toToken,
} from './kept-token.js';

export interface TokensOptions {
  collection: Collection<KeptToken>;
  /** Returns epoch milliseconds, since an expiry must also hold across restarts of the machine. */
  now?: () => number;
  /** Called for a token that is no longer valid because it was deleted, or because its terminal has ended. */
  onEnded: (id: string) => void;
  /** Called for a token after a change of when its texts, or some of them, expire. */
  onRotated: (id: string) => void;
  onFault: (error: unknown) => void;
}

/** A token, and its text, which is kept nowhere. */
interface MadeToken {
  holder: ShownToken;
  text: string;
}

/** Tokens of the clients. Only hashes of their texts are kept, on disk, across restarts. */
export class Tokens {
  readonly #options: TokensOptions;
  readonly #now: () => number;
  /** Ids by the hash of the text. */
  readonly #byHash = new Map<string, string>();
  readonly #usedAt = new Map<string, number>();

  constructor(options: TokensOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    for (const [id, kept] of options.collection.all()) {
      for (const hash of hashesOf(kept)) this.#byHash.set(hash, id);
    }
  }

  /** Returns the token with this text; undefined if there is none, or if it is no longer valid. */
  find(text: string): ShownToken | undefined {
    const hash = hashOf(text);
    const id = this.#byHash.get(hash);
    const holder = id === undefined ? undefined : this.byId(id);
    if (!holder || this.endOf({ ...holder, hash }) === undefined) return undefined;
    return { ...holder, hash };
  }

  /**
   * Returns when the text that a client has shown expires, in epoch milliseconds; null if it ends with its terminal,
   * undefined if it has ended.
   */
  endOf({ id, hash }: Pick<ShownToken, 'id' | 'hash'>): number | null | undefined {
    const holder = this.byId(id);
    if (!holder) return undefined;
    if (holder.hashes.includes(hash)) return holder.expiresAt;
    const until = holder.former.find((each) => each.hash === hash)?.until ?? 0;
    return until > this.#now() ? Math.min(until, holder.expiresAt ?? until) : undefined;
  }

  /** Returns the token with this id, if it is valid. */
  byId(id: string): Holder | undefined {
    const kept = this.#options.collection.get(id);
    if (!kept || (kept.expiresAt !== null && kept.expiresAt <= this.#now())) return undefined;
    // A token ends with its maker's token, even while the end of that token is still being written.
    const [maker] = kept.madeWith;
    if (maker !== undefined && !this.byId(maker)) return undefined;
    return { ...kept, id };
  }

  noteUse(id: string): void {
    this.#usedAt.set(id, this.#now());
  }

  /** Returns the valid tokens, oldest first. */
  list(): Token[] {
    const holders = [...this.#options.collection.all().keys()].flatMap((id) => this.byId(id) ?? []);
    return holders.sort((a, b) => a.createdAt - b.createdAt).map((holder) => this.shown(holder));
  }

  shown(holder: Holder): Token {
    return toToken(holder, this.#usedAt.get(holder.id) ?? null);
  }

  /** Makes a token; it is on disk once this resolves. Rejects with too-many-tokens. */
  async create(body: TokenBody): Promise<MadeToken> {
    const createdAt = this.#now();
    return this.#add({
      ...{ name: body.name, verbs: body.verbs, createdAt },
      selector: body.selector ?? null,
      own: body.own ?? false,
      terminalId: null,
      madeWith: [],
      expiresAt: createdAt + body.expiresInMs,
      maxTerminals: body.maxTerminals ?? null,
      ratePerMinute: body.ratePerMinute ?? null,
    });
  }

  /**
   * Gives a token a new text, which is on disk once this resolves. The present text ends at once, or after `overlapMs`;
   * earlier texts end when they would have anyway. Rejects with token-not-found.
   */
  async rotate(id: string, { overlapMs, expiresInMs }: RotateBody): Promise<MadeToken> {
    const { collection, onRotated } = this.#options;
    const earlier = collection.get(id);
    if (!earlier || !this.byId(id)) throw new DomainError('token-not-found');
    const now = this.#now();
    const text = newTokenText();
    const overlapping = earlier.hashes.map((hash) => ({ hash, until: now + overlapMs }));
    const former = [...earlier.former, ...overlapping].filter(({ until }) => until > now);
    const expiresAt = expiresInMs === undefined ? earlier.expiresAt : now + expiresInMs;
    const kept: KeptToken = { ...earlier, hashes: [hashOf(text)], former, expiresAt };
    const written = collection.put(id, kept);
    this.#index(id, earlier, kept);
    onRotated(id);
    try {
      await written;
    } catch (error) {
      // The store holds the earlier texts again.
      this.#index(id, kept, collection.get(id) ?? earlier);
      throw error;
    }
    return { holder: { ...kept, id, hash: hashOf(text) }, text };
  }

  /**
   * Makes the token of a new terminal's program, and resolves with its text. A repetition for the same terminal adds a
   * text to the token. Rejects with too-many-tokens, and with verb-missing if `by` lacks a verb.
   */
  async grant(terminalId: string, grant: Grant, by: Holder | undefined): Promise<string> {
    const missing = by ? grant.verbs.filter((verb) => !allows(by, verb)) : [];
    if (missing.length > 0) throw new DomainError('verb-missing', undefined, { details: { needs: missing } });
    const earlier = this.ofTerminal(terminalId);
    if (earlier) return this.#addText(earlier);
    const madeWith = by ? [by.id, ...by.madeWith] : [];
    if (madeWith.length > MAX_GRANT_DEPTH) throw new DomainError('too-many-tokens');
    const { text } = await this.#add({
      name: `grant of ${terminalId}`,
      verbs: grant.verbs,
      // The new token reaches no terminal that its maker cannot reach.
      selector: by?.selector ?? null,
      ...{ own: true, terminalId, madeWith, createdAt: this.#now() },
      expiresAt: by?.expiresAt ?? null,
      maxTerminals: grant.maxTerminals ?? null,
      ratePerMinute: null,
    });
    return text;
  }

  /** Returns the token of a terminal's program. */
  ofTerminal(terminalId: string): Holder | undefined {
    for (const [id, kept] of this.#options.collection.all()) {
      if (kept.terminalId === terminalId) return this.byId(id);
    }
    return undefined;
  }

  /** Deletes a token and the tokens made from it, at once. Rejects with token-not-found. */
  async delete(id: string): Promise<void> {
    if (!this.byId(id)) throw new DomainError('token-not-found');
    const { collection } = this.#options;
    const made = [...collection.all()].filter(([, { madeWith }]) => madeWith.includes(id));
    await Promise.all([id, ...made.map(([each]) => each)].map((each) => this.#remove(each)));
  }

  /** Ends the token of a terminal that has exited or gone. */
  terminalEnded(terminalId: string): void {
    const ended = this.ofTerminal(terminalId);
    if (ended) void this.delete(ended.id).catch(this.#options.onFault);
  }

  /** Ends the tokens of terminals that are not among `running`, and forgets expired tokens. Called when the service starts. */
  keepOf(running: ReadonlySet<string>): void {
    for (const [id, { terminalId }] of [...this.#options.collection.all()]) {
      const isOver = terminalId !== null && !running.has(terminalId);
      if (isOver || !this.byId(id)) void this.#remove(id).catch(this.#options.onFault);
    }
  }

  async #add(token: Omit<KeptToken, 'hashes' | 'former'>): Promise<MadeToken> {
    this.#refuseTooMany(token.terminalId !== null);
    const text = newTokenText();
    const id = newTokenId();
    const kept = { ...token, hashes: [hashOf(text)], former: [] };
    await this.#options.collection.put(id, kept);
    this.#byHash.set(hashOf(text), id);
    return { holder: { ...kept, id, hash: hashOf(text) }, text };
  }

  async #addText({ id, ...kept }: Holder): Promise<string> {
    const text = newTokenText();
    await this.#options.collection.put(id, { ...kept, hashes: [...kept.hashes, hashOf(text)] });
    this.#byHash.set(hashOf(text), id);
    return text;
  }

  #index(id: string, earlier: KeptToken, kept: KeptToken): void {
    for (const hash of hashesOf(earlier)) this.#byHash.delete(hash);
    for (const hash of hashesOf(kept)) this.#byHash.set(hash, id);
  }

  /** Forgets expired tokens. Throws too-many-tokens if there are still too many. */
  #refuseTooMany(isGrant: boolean): void {
    const { collection, onFault } = this.#options;
    let count = 0;
    for (const [id, { terminalId }] of [...collection.all()]) {
      if (!this.byId(id)) void this.#remove(id).catch(onFault);
      else if ((terminalId !== null) === isGrant) count++;
    }
    if (count >= (isGrant ? MAX_GRANTS : MAX_TOKENS)) throw new DomainError('too-many-tokens');
  }

  async #remove(id: string): Promise<void> {
    const { collection, onEnded } = this.#options;
    const kept = collection.get(id);
    const hashes = kept ? hashesOf(kept) : [];
    for (const hash of hashes) this.#byHash.delete(hash);
    this.#usedAt.delete(id);
    const removed = collection.remove(id);
    onEnded(id);
    try {
      await removed;
    } catch (error) {
      // The deletion failed and the caller gets the error: the token is in the store again, and must work again.
      if (collection.get(id)) for (const hash of hashes) this.#byHash.set(hash, id);
      throw error;
    }
  }
}

function hashesOf({ hashes, former }: KeptToken): string[] {
  return [...hashes, ...former.map(({ hash }) => hash)];
}

/** Returns whether a token has a verb. */
export function allows({ verbs }: Pick<KeptToken, 'verbs'>, verb: Verb): boolean {
  return verbs.includes('admin') || verbs.includes(verb);
}
