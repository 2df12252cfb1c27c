import { z } from 'zod';
import { Selector } from './labels.js';
import { DEFAULT_SEARCH_LIMIT, MAX_SEARCH_LIMIT, MAX_SEARCH_QUERY_CHARS } from './limits.js';

/** Content of a document: printed lines, a typed line, or the printed lines of a command that failed. */
export const DocumentType = z.enum(['output', 'input', 'error']);
export type DocumentType = z.infer<typeof DocumentType>;

/** Consecutive lines of one terminal. */
const SearchDocument = z.object({
  id: z.uuid(),
  terminalId: z.string(),
  type: DocumentType,
  timestamp: z.iso.datetime().describe('When the text was indexed'),
  content: z.string().describe('The lines, joined by line feeds'),
});

/** A document that contains the query. */
export const SearchHit = z.object({
  document: SearchDocument,
  score: z.literal(1),
  matches: z
    .array(z.tuple([z.int(), z.int()]))
    .describe(
      'The first 100 matches that do not overlap, each as [start, end) in characters (Unicode code points) of the content',
    ),
  context: z.string().describe('The first match, with about 50 characters on each side'),
});
export type SearchHit = z.infer<typeof SearchHit>;

/** Filters of a search; unknown keys are ignored. */
const SearchFilters = z.object({
  terminalId: z.string().optional(),
  type: DocumentType.optional(),
});

/** Body of `POST /api/search`. */
export const SearchBody = z.object({
  query: z.string().min(1).max(MAX_SEARCH_QUERY_CHARS),
  /** null counts as absent. */
  filters: SearchFilters.nullish().transform((filters) => filters ?? {}),
  selector: Selector.optional().describe(
    'Searches only text of terminals that have all of these labels, such as `role=test,repo=api`, and still exist, running or exited',
  ),
  limit: z.int().min(1).max(MAX_SEARCH_LIMIT).default(DEFAULT_SEARCH_LIMIT),
});
export type SearchBody = z.infer<typeof SearchBody>;

/** Text to search the index for, and the documents to search. */
export interface SearchRequest {
  query: string;
  filters: { terminalIds?: readonly string[] | undefined; type?: DocumentType | undefined };
  limit: number;
}

/** Why the index takes in nothing at present. */
const SearchPaused = z.enum(['disk-full']);
export type SearchPaused = z.infer<typeof SearchPaused>;

export const SearchAnswer = z.object({
  results: z.array(SearchHit),
  paused: SearchPaused.optional().describe(
    'Present while the disk is nearly full: what is printed and typed at that time is not indexed',
  ),
  behind: z
    .literal(true)
    .optional()
    .describe(
      'Present if the newest text could not be stored in time, so that it was not searched; try again',
    ),
});

/** Query of `GET /api/search/suggestions`. */
export const SuggestionsQuery = z.object({ q: z.string().max(MAX_SEARCH_QUERY_CHARS) });

export const SuggestionsAnswer = z.object({ suggestions: z.array(z.string()) });

export const ClearedAnswer = z.object({ status: z.literal('cleared') });
