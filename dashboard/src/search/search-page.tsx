import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useRef } from 'react';
import { useShortcuts } from '../parts/shortcuts.js';
import { service, wordsOf } from '../service.js';
import '../style/search.css';
import { SearchForm } from './search-form.js';
import { Hit } from './search-hit.js';
import { MAX_LIMIT, type SearchQuery, useSearchQuery } from './use-search-query.js';

const MORE = 200;

function useHits({ q, terminal, type, limit }: SearchQuery) {
  return useQuery({
    queryKey: ['search', q, terminal, type, limit],
    queryFn: ({ signal }) => {
      const filters = { ...(terminal !== '' && { terminalId: terminal }), ...(type && { type }) };
      return service.search(q, { filters, limit, signal });
    },
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
}

/** A note that the index takes no new output, shown while it does not. */
function IndexState() {
  const { data } = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => service.health({ signal }),
    refetchInterval: 10_000,
  });
  const state = data?.details?.search;
  if (state === 'off') {
    return (
      <p className="search-note" role="status">
        The index is off: only what was taken in before is found.
      </p>
    );
  }
  if (state === 'paused') {
    return (
      <p className="search-note" role="status">
        The disk is nearly full: what is printed and typed now is not found later.
      </p>
    );
  }
  return null;
}

/** Searches the output and input of terminals, including terminals that are gone. */
export default function SearchPage() {
  const [query, change] = useSearchQuery();
  const hits = useHits(query);
  const inputRef = useRef<HTMLInputElement>(null);
  const listRef = useRef<HTMLUListElement>(null);

  const move = (by: number) => {
    const links = [...(listRef.current?.querySelectorAll<HTMLElement>('.hit-link') ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    const next = links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))];
    next?.focus();
    next?.closest('.hit')?.scrollIntoView({ block: 'nearest' });
  };
  useShortcuts({
    '/': () => inputRef.current?.select(),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    j: () => move(1),
    k: () => move(-1),
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Home' && event.key !== 'End') return;
    event.preventDefault();
    move(event.key === 'Home' ? -Infinity : Infinity);
  };

  const results = query.q === '' ? [] : (hits.data?.results ?? []);
  const isFull = results.length >= query.limit;
  return (
    <main className="search">
      <SearchForm query={query} onChange={change} inputRef={inputRef} onDown={() => move(0)} />
      <IndexState />
      {hits.data?.behind && (
        <p className="search-note" role="status">
          The newest text is not searched yet.{' '}
          <button type="button" onClick={() => hits.refetch()}>
            Search again
          </button>
        </p>
      )}
      {hits.error && (
        <p className="search-note search-error" role="alert">
          {wordsOf(hits.error)}
        </p>
      )}
      <p className="search-count count" role="status">
        {query.q === '' ? (
          <>
            Type what you look for; <kbd>/</kbd> comes back here.
          </>
        ) : hits.isFetching && (hits.isPlaceholderData || hits.isPending) ? (
          'Searching…'
        ) : (
          hits.isSuccess &&
          (results.length === 0
            ? 'Nothing like that was printed or typed.'
            : `${results.length.toLocaleString()}${isFull ? ' or more' : ''} results`)
        )}
      </p>
      <ul ref={listRef} className="hits" aria-label="Results" onKeyDown={onKeyDown}>
        {results.map((hit) => (
          <Hit key={hit.document.id} hit={hit} />
        ))}
        {isFull && query.limit < MAX_LIMIT && (
          <li>
            <button type="button" onClick={() => change({ limit: Math.min(MAX_LIMIT, query.limit + MORE) })}>
              More results
            </button>
          </li>
        )}
      </ul>
    </main>
  );
}
