import { useQuery } from '@tanstack/react-query';
import { type Ref, useEffect, useState } from 'react';
import { TerminalFilter } from '../parts/terminal-filter.js';
import { service } from '../service.js';
import { type SearchQuery, type SearchType, TYPE_NAMES, TYPES } from './use-search-query.js';

interface SearchFormProps {
  query: SearchQuery;
  onChange: (change: Partial<SearchQuery>) => void;
  inputRef: Ref<HTMLInputElement>;
  /** Goes to the first result. */
  onDown: () => void;
}

/** Time without a key after which the text is searched. */
const SETTLE_MS = 200;
const MAX_QUERY_CHARS = 1_000;

/** Query, terminal and kind of text. */
export function SearchForm({ query, onChange, inputRef, onDown }: SearchFormProps) {
  const [text, setText] = useState(query.q);
  const suggestions = useQuery({
    queryKey: ['suggestions', query.q],
    queryFn: ({ signal }) => service.suggest(query.q, { signal }),
    enabled: query.q !== '',
  });
  useEffect(() => setText(query.q), [query.q]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed is waited for
  useEffect(() => {
    if (text === query.q) return;
    const settling = setTimeout(() => onChange({ q: text }), SETTLE_MS);
    return () => clearTimeout(settling);
  }, [text]);
  return (
    <form
      className="bar"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onChange({ q: text });
      }}
    >
      <h1 className="unseen">Search</h1>
      <input
        ref={inputRef}
        type="search"
        className="filter"
        placeholder="what was printed or typed"
        aria-label="Search"
        list="suggestions"
        spellCheck={false}
        autoComplete="off"
        maxLength={MAX_QUERY_CHARS}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          // Open suggestions take the arrow keys, and the browser does not report whether they are open.
          if (event.key === 'Escape') {
            // The browser would clear the field.
            event.preventDefault();
            event.currentTarget.blur();
          } else if (event.key === 'Enter' && text === query.q) onDown();
        }}
      />
      <datalist id="suggestions">
        {suggestions.data?.map((word) => (
          <option key={word} value={word} />
        ))}
      </datalist>
      <TerminalFilter value={query.terminal} onChange={(terminal) => onChange({ terminal })} />
      <label>
        kind{' '}
        <select
          value={query.type ?? ''}
          onChange={({ target }) => onChange({ type: (target.value as SearchType) || undefined })}
        >
          <option value="">all</option>
          {TYPES.map((type) => (
            <option key={type} value={type}>
              {TYPE_NAMES[type]}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}
