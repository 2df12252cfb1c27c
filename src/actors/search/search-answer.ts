import type { SearchPaused } from '../../contract/search.js';
import type { ScanResult } from '../../workers/jobs/search/scan.js';

const COMMA = Buffer.from(',');

/** Returns the hits of one job, each as JSON in UTF-8. */
export function hitsOf({ hits, ends }: ScanResult): Uint8Array[] {
  return ends.map((end, index) => hits.subarray(ends[index - 1] ?? 0, end));
}

/**
 * Returns a `SearchAnswer` as JSON in UTF-8, from hits in the same form; `paused` is the reason why nothing is fed to
 * the index at present.
 */
export function answerOf(hits: readonly Uint8Array[], paused?: SearchPaused): Uint8Array {
  const list = hits.flatMap((hit, index) => (index === 0 ? [hit] : [COMMA, hit]));
  return Buffer.concat([
    Buffer.from('{"results":['),
    ...list,
    Buffer.from(paused ? `],"paused":"${paused}"}` : ']}'),
  ]);
}
