import { useSearchParams } from 'wouter';

export const TYPES = ['output', 'input', 'error'] as const;
export type SearchType = (typeof TYPES)[number];

/** Names of the kinds of text on the page. */
export const TYPE_NAMES: Record<SearchType, string> = {
  output: 'output',
  input: 'input',
  error: 'output of failed commands',
};

export interface SearchQuery {
  q: string;
  terminal: string;
  type: SearchType | undefined;
  limit: number;
}

/** Hits of the first request; the service has no pages, so a larger limit requests more. */
const FIRST_LIMIT = 50;
export const MAX_LIMIT = 1_000;

/** Returns the query, which is in the page's address, so that a link restores all of it. */
export function useSearchQuery(): [SearchQuery, (change: Partial<SearchQuery>) => void] {
  const [parameters, setParameters] = useSearchParams();
  const limit = Number(parameters.get('limit'));
  const query: SearchQuery = {
    q: parameters.get('q') ?? '',
    terminal: parameters.get('terminal') ?? '',
    type: TYPES.find((type) => type === parameters.get('type')),
    limit: Number.isInteger(limit) && limit > 0 ? Math.min(limit, MAX_LIMIT) : FIRST_LIMIT,
  };
  const change = (part: Partial<SearchQuery>) => {
    const next = { ...query, limit: FIRST_LIMIT, ...part };
    const said = Object.entries({
      q: next.q,
      terminal: next.terminal,
      type: next.type ?? '',
      limit: next.limit === FIRST_LIMIT ? '' : String(next.limit),
    }).filter(([, value]) => value !== '');
    setParameters(new URLSearchParams(said), { replace: true });
  };
  return [query, change];
}
