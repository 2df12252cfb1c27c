import { setMaxListeners } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Access } from '../actors/access/access.js';
import type { CreationTerms } from '../actors/creation.js';
import { DomainError } from '../contract/errors.js';
import type { CreatedTerminal, CreateTerminal, Terminal } from '../contract/terminal.js';
import type { Callers } from './callers.js';
import { knownOf, warningsOf } from './create-body.js';
import type { IdempotencyKeys } from './idempotency.js';
import type { LongPolls } from './long-polls.js';
import { modeOf } from './origin.js';
import type { TerminalsPort } from './ports.js';

export interface CreatorOptions {
  terminals: Pick<TerminalsPort, 'create'>;
  callers: Pick<Callers, 'of'>;
  access: Pick<Access, 'prepare'>;
  polls: LongPolls;
  keys: IdempotencyKeys;
}

/** Creates a terminal with this id; see {@link TerminalsPort.create}. */
type Create = (
  body: CreateTerminal,
  id: string,
  inTurn?: CreationTerms['inTurn'],
) => Promise<z.infer<typeof CreatedTerminal>>;

/** Creates terminals for requests, which may wait in line for as long as a client wants their answer. */
export class Creator {
  readonly #options: CreatorOptions;

  constructor(options: CreatorOptions) {
    this.#options = options;
  }

  /**
   * Runs work that creates terminals. Creations that still wait in line are given up once their clients have gone, and
   * when the service stops.
   */
  hold<Answer>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (create: Create) => Promise<Answer>,
  ): Promise<Answer> {
    const { callers, polls, keys } = this.#options;
    const held = (client: AbortSignal) => {
      // Each waiting creation of a batch adds a listener to this signal.
      setMaxListeners(0, client);
      return work(async (body, id, inTurn) => {
        const known = knownOf(body);
        // Only creations in line are listed with the terminal that asks for them.
        const caller = known.queueMs === undefined ? undefined : await callers.of(request);
        const terms = { client, caller, ...(inTurn && { inTurn }) };
        const created = await this.#create(known, id, terms, request);
        return { ...created, ...warningsOf(body, created.limits) };
      });
    };
    return polls.hold(request, reply, held, { everybodyLeft: keys.everybodyLeft(request) });
  }

  /** Creates a terminal within the rights of the client's token, and with the token that its program is granted. */
  async #create(
    known: CreateTerminal,
    id: string,
    terms: CreationTerms,
    request: FastifyRequest,
  ): Promise<Terminal> {
    const { terminals, access } = this.#options;
    const { end, ...prepared } = await access.prepare(known, id, request.rights);
    let isCertain = false;
    try {
      const all = { ...terms, ...prepared.terms };
      return await terminals.create(prepared.request, modeOf(request), id, all);
    } catch (error) {
      isCertain = !(error instanceof DomainError && error.code === 'outcome-unknown');
      throw error;
    } finally {
      end(isCertain);
    }
  }
}
