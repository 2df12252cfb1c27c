import { useSearchParams } from 'wouter';
import { SORTS, type Sort } from '../fleet/filter.js';

interface Size {
  /** Least width of a tile, in pixels; tiles grow to fill the line. */
  width: number;
  /** Height as a multiple of the width. */
  ratio: number;
  /** Most columns of a screen that are shown, so that text stays legible; all of them when absent. */
  maxCols?: number;
}

/** Sizes of the tiles: small ones show the shape of a screen, middle ones its last lines, large ones all of it. */
export const SIZES: Record<TileSize, Size> = {
  s: { width: 160, ratio: 0.72 },
  m: { width: 276, ratio: 0.66, maxCols: 80 },
  l: { width: 480, ratio: 0.62 },
};
export type TileSize = 's' | 'm' | 'l';

export interface WallQuery {
  q: string;
  size: TileSize;
  sort: Sort;
  group: string | undefined;
}

/**
 * Returns the query of the wall, which is in the page's address, so that each window has its own, and a link restores
 * all of it.
 */
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
