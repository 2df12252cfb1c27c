import type { z } from 'zod';
import type { Rights } from '../../actors/access/rights.js';
import { matches } from '../../contract/labels.js';
import {
  ClearedAnswer,
  SearchAnswer,
  SearchBody,
  type SearchRequest,
  SuggestionsAnswer,
  SuggestionsQuery,
} from '../../contract/search.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { TerminalsPort } from '../ports.js';
import type { App } from '../validation.js';

/** Schema of a search's answer, for the document only: the index returns bytes, and no schema validates them. */
const ANSWER_CONTENT: Record<string, { schema: z.ZodType }> = {
  'application/json': { schema: SearchAnswer },
};

/** The search index, as the gateway calls it. All methods but `clear` may throw `unavailable`. */
export interface SearchPort {
  /** Returns hits, newest first: a {@link SearchAnswer} as JSON in UTF-8. */
  search(request: SearchRequest): Promise<Uint8Array>;
  /** Returns words that begin with `prefix`. */
  suggest(prefix: string): Promise<string[]>;
  /** Clears the whole index. Throws search-not-cleared. */
  clear(): Promise<void>;
}

/** `/api/search`: searches, suggests words, and clears the index. */
export function registerSearch(app: App, index: SearchPort, terminals: Pick<TerminalsPort, 'list'>): void {
  /** Returns the terminals to search in; undefined means all text, including that of terminals that are gone. */
  function idsOf({ selector, filters: { terminalId } }: SearchBody, rights: Rights): string[] | undefined {
    if (rights.isBound) {
      const seen = terminals.list('all').filter(({ id }) => rights.sees(id));
      return seen
        .filter(({ labels }) => !selector || matches(labels, selector))
        .map(({ id }) => id)
        .filter((id) => terminalId === undefined || id === terminalId);
    }
    if (!selector) return terminalId === undefined ? undefined : [terminalId];
    const labelled = terminals.list('all').filter(({ labels }) => matches(labels, selector));
    return labelled.map(({ id }) => id).filter((id) => terminalId === undefined || id === terminalId);
  }

  app.post(
    '/api/search',
    {
      config: needs('search', 'filtered'),
      schema: {
        summary: 'Search what terminals printed and what was typed into them',
        description:
          'A document consists of consecutive lines of one terminal: printed lines (`output`), typed ' +
          'lines (`input`), or the printed lines of a command that failed (`error`). The query matches as ' +
          'a substring, ignoring case in any script; it may contain line breaks. Text can be found about ' +
          'a second after it was printed, even after its terminal is gone.',
        tags: ['Search'],
        body: SearchBody,
        response: { 200: { description: 'The hits', content: ANSWER_CONTENT }, ...failures('unavailable') },
      },
    },
    async ({ body, rights }, reply) => {
      const { query, limit, filters } = body;
      const request = { query, limit, filters: { terminalIds: idsOf(body, rights), type: filters.type } };
      const answer = await index.search(request);
      return reply.type('application/json; charset=utf-8').send(answer);
    },
  );

  app.get(
    '/api/search/suggestions',
    {
      config: needs('search', 'whole'),
      schema: {
        summary: 'List words in the index that begin with a prefix',
        description:
          'At most 10 words, each once, with the case that they have in the text, in no particular order.',
        tags: ['Search'],
        querystring: SuggestionsQuery,
        response: { 200: SuggestionsAnswer, ...failures('unavailable') },
      },
    },
    async ({ query }) => ({ suggestions: await index.suggest(query.q) }),
  );

  app.delete(
    '/api/search/index',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Clear the search index',
        description:
          'Deletes every document permanently; the index cannot be cleared in part. Later output and ' +
          'input are indexed again.',
        tags: ['Search'],
        response: { 200: ClearedAnswer, ...failures('search-not-cleared') },
      },
    },
    async () => {
      await index.clear();
      return { status: 'cleared' as const };
    },
  );
}
