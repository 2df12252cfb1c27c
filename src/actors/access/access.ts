import type { Verb } from '../../contract/access.js';
import { DomainError } from '../../contract/errors.js';
import type { CreateTerminal } from '../../contract/terminal.js';
import type { CreationTerms } from '../creation.js';
import type { EngineEvent } from '../events.js';
import type { Terminals } from '../terminals.js';
import type { Holder, ShownToken } from './kept-token.js';
import { KnownTerminals } from './known-terminals.js';
import type { OpenConnections } from './open-connections.js';
import { Rights } from './rights.js';
import type { TokenRates } from './token-rates.js';
import { allows, type Tokens } from './tokens.js';

export interface AccessOptions {
  tokens: Tokens;
  connections: OpenConnections;
  rates: TokenRates;
  terminals: Pick<Terminals, 'list' | 'startOf'>;
  /** Returns whether the setting `access.mode` asks for a token. */
  isGuarded: () => boolean;
}

/** Environment variable that holds the token of a terminal's own program. */
const TOKEN_VARIABLE = 'AUTO_TERMINAL_TOKEN';

/** The creation of a terminal as the rights of its client allow it. */
export interface PreparedCreation {
  request: CreateTerminal;
  terms: Pick<CreationTerms, 'env' | 'madeWith' | 'granted' | 'mayStart'>;
  /** Call once the creation is over. `isCertain`: no terminal was created, and none will be. */
  end(isCertain: boolean): void;
}

/** Decides what each client may do in guarded mode. */
export class Access {
  readonly tokens: Tokens;
  readonly connections: OpenConnections;
  readonly #options: AccessOptions;
  readonly #known: KnownTerminals;
  readonly #refused = new Map<string, number>();
  /** Ids of terminals that are being created, by the token that counts them. */
  readonly #coming = new Map<string, Set<string>>();

  constructor(options: AccessOptions) {
    this.#options = options;
    this.tokens = options.tokens;
    this.connections = options.connections;
    this.#known = new KnownTerminals(options.terminals);
    this.tokens.keepOf(new Set(options.terminals.list('running').map(({ id }) => id)));
  }

  get isGuarded(): boolean {
    return this.#options.isGuarded();
  }

  /** Requests that were refused since the start of the service, by the status of the answer. */
  get refused(): ReadonlyMap<string, number> {
    return this.#refused;
  }

  /**
   * Notes the status of an answer.
   *
   * @param isBound - whether the token of the client is bound to some terminals, to which others do not exist
   */
  answered(status: number, isBound: boolean): void {
    if (status !== 401 && status !== 403 && !(status === 404 && isBound)) return;
    this.#refused.set(`${status}`, (this.#refused.get(`${status}`) ?? 0) + 1);
  }

  onEvent(event: EngineEvent): void {
    this.#known.onEvent(event);
    if (event.type === 'exited' || event.type === 'removed') this.tokens.terminalEnded(event.id);
  }

  /** Returns whether the program of a running terminal may do only what a grant allows, even once that grant has ended. */
  isGranted(terminalId: string): boolean {
    return this.#options.terminals.startOf(terminalId).meta.granted;
  }

  rightsOf(holder: ShownToken): Rights {
    return new Rights(holder, this.#known, this.#options.rates);
  }

  /**
   * Returns why a client may no longer do something in a terminal, for work that has waited since the client's request;
   * undefined if it may: in open mode every client may, and so may a client with the service's own token.
   *
   * @param token - the token of the request; undefined for the service's own. Another client may have its text by now,
   *   but the work belongs to that token
   */
  refusal(verb: Verb, token: Pick<Holder, 'id'> | undefined, terminalId: string): DomainError | undefined {
    if (!this.isGuarded || token === undefined) return undefined;
    const holder = this.tokens.byId(token.id);
    if (!holder) return new DomainError('unauthorized');
    if (!allows(holder, verb))
      return new DomainError('verb-missing', undefined, { details: { needs: [verb] } });
    return this.#known.reaches(holder, terminalId) ? undefined : new DomainError('terminal-not-found');
  }

  /**
   * Prepares the creation of terminal `id`: adds the labels that the token is bound to, counts the terminal, and makes
   * the token that the request grants. Rejects with outside-scope, terminal-not-found, token-limit, verb-missing,
   * too-many-tokens.
   */
  async prepare(request: CreateTerminal, id: string, rights: Rights): Promise<PreparedCreation> {
    const { holder } = rights;
    if (rights.isBound) refuseForeignPlace(request, rights);
    const bound = holder?.selector
      ? { ...request, labels: { ...holder.selector, ...request.labels } }
      : request;
    rights.requireLabels(bound.labels ?? {});
    const isThere = this.#known.has(id);
    const uncount = isThere ? () => undefined : this.#count(id, holder);
    const { grant, ...without } = bound;
    const madeWith = holder ? [holder.id, ...holder.madeWith] : [];
    try {
      const token = grant && !isThere ? await this.tokens.grant(id, grant, holder) : undefined;
      const env: Record<string, string> = token === undefined ? {} : { [TOKEN_VARIABLE]: token };
      const end = (isCertain: boolean) => {
        uncount();
        if (token !== undefined && isCertain) this.tokens.terminalEnded(id);
      };
      // Otherwise a program could gain, by creating a terminal, rights that it was not granted.
      const granted = grant !== undefined || (holder?.terminalId ?? null) !== null;
      // The creation may have waited long, in line or behind others of its batch, and its token may have ended.
      const mayStart = () => {
        if (holder && !this.tokens.byId(holder.id)) throw new DomainError('unauthorized');
      };
      return { request: without, terms: { env, madeWith, granted, mayStart }, end };
    } catch (error) {
      uncount();
      throw error;
    }
  }

  /** Counts a new terminal for its token and for the tokens from which that token was made. Throws token-limit. */
  #count(id: string, holder: Holder | undefined): () => void {
    const counting = (holder ? [holder.id, ...holder.madeWith] : []).flatMap(
      (tokenId) => this.tokens.byId(tokenId) ?? [],
    );
    for (const { id: tokenId, maxTerminals } of counting) {
      if (maxTerminals === null) continue;
      const ids = new Set([...this.#known.madeWith(tokenId), ...(this.#coming.get(tokenId) ?? [])]).add(id);
      if (ids.size > maxTerminals)
        throw new DomainError('token-limit', `The token has ${maxTerminals} terminals, and may have no more`);
    }
    for (const { id: tokenId } of counting)
      this.#coming.set(tokenId, (this.#coming.get(tokenId) ?? new Set()).add(id));
    return () => {
      for (const { id: tokenId } of counting) {
        const coming = this.#coming.get(tokenId);
        coming?.delete(id);
        if (coming?.size === 0) this.#coming.delete(tokenId);
      }
    };
  }
}

/** Refuses a tab, a pane, or a parent out of sight, by which a token bound to some terminals could reach others. */
function refuseForeignPlace({ tabId, paneId, parentTerminalId }: CreateTerminal, rights: Rights): void {
  if (tabId !== undefined || paneId !== undefined)
    throw new DomainError(
      'outside-scope',
      'A token that is bound to some terminals cannot name a tab or a pane',
    );
  if (parentTerminalId !== undefined) rights.requireSight([parentTerminalId]);
}
