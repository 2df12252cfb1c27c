import { useSearchParams } from 'wouter';
import { SORTS, type Sort } from '../fleet/filter.js';

export const SIZES = { s: [168, 132], m: [252, 184], l: [492, 340] } as const;
export type TileSize = keyof typeof SIZES;

export interface WallQuery {
  q: string;
  size: TileSize;
  sort: Sort;
  group: string | undefined;
}

/** What the wall shows is said by its address, so that each window has its own, and a link says all of it. */
export function useWallQuery(): [WallQuery, (change: Partial<WallQuery>) => void] {
  const [parameters, setParameters] = useSearchParams();
  const size = parameters.get('size') ?? '';
  const sort = parameters.get('sort');
  const query: WallQuery = {
    q: parameters.get('q') ?? '',
    size: size in SIZES ? (size as TileSize) : 'm',
    sort: SORTS.find((each) => each === sort) ?? 'needs',
    group: parameters.get('group') || undefined,
  };
  const change = (part: Partial<WallQuery>) => {
    const next = { ...query, ...part };
    const said = Object.entries({
      q: next.q,
      size: next.size === 'm' ? '' : next.size,
      sort: next.sort === 'needs' ? '' : next.sort,
      group: next.group ?? '',
    }).filter(([, value]) => value !== '');
    setParameters(new URLSearchParams(said), { replace: true });
  };
  return [query, change];
}
