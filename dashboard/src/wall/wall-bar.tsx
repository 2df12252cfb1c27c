import { type Ref, useMemo } from 'react';
import { SORT_NAMES, SORTS, type Sort } from '../fleet/filter.js';
import { useFleet } from '../fleet/fleet-store.js';
import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';
import { NewsChip } from './news-chip.js';
import { SIZES, type TileSize, type WallQuery } from './use-wall-query.js';

interface WallBarProps {
  query: WallQuery;
  onChange: (change: Partial<WallQuery>) => void;
  filterRef: Ref<HTMLInputElement>;
  /** Number of terminals that pass the filter. */
  shown: number;
}

/** Returns the names of labels that terminals have. */
function useLabelNames(): string[] {
  const terminals = useFleet((state) => state.terminals);
  return useMemo(
    () => [...new Set([...terminals.values()].flatMap(({ labels }) => Object.keys(labels)))].sort(),
    [terminals],
  );
}

/** Filter, size, order and groups of the wall. */
export function WallBar({ query, onChange, filterRef, shown }: WallBarProps) {
  const total = useFleet((state) => state.terminals.size);
  const names = useLabelNames();
  return (
    <header className="bar">
      <h1 className="unseen">Wall</h1>
      <input
        ref={filterRef}
        type="search"
        className="filter"
        placeholder="filter: role=test status:waiting agent:claude"
        aria-label="Filter"
        spellCheck={false}
        value={query.q}
        onChange={({ target }) => onChange({ q: target.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && event.key !== 'Enter') return;
          // The browser would clear the field.
          event.preventDefault();
          event.currentTarget.blur();
        }}
      />
      <fieldset className="sizes" aria-label="Size of the tiles">
        {(Object.keys(SIZES) as TileSize[]).map((size) => (
          <button
            key={size}
            type="button"
            aria-pressed={query.size === size}
            onClick={() => onChange({ size })}
          >
            {size.toUpperCase()}
          </button>
        ))}
      </fieldset>
      <label>
        sort{' '}
        <select value={query.sort} onChange={({ target }) => onChange({ sort: target.value as Sort })}>
          {SORTS.map((sort) => (
            <option key={sort} value={sort}>
              {SORT_NAMES[sort]}
            </option>
          ))}
        </select>
      </label>
      <label>
        group{' '}
        <select
          value={query.group ?? ''}
          onChange={({ target }) => onChange({ group: target.value || undefined })}
        >
          <option value="">none</option>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <NewsChip />
      <button
        type="button"
        onClick={() => attempt('The terminal could not be created', service.terminals.create())}
      >
        New terminal
      </button>
      <span className="count" role="status">
        {shown === total ? total.toLocaleString() : `${shown.toLocaleString()} of ${total.toLocaleString()}`}
      </span>
    </header>
  );
}
