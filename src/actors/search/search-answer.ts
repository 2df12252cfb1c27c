import type { SearchPaused } from '../../contract/search.js';
import type { ScanResult } from '../../workers/jobs/search/scan.js';

const COMMA = Buffer.from(',');

/** Returns the hits of one job, each as JSON in UTF-8. */
export function hitsOf({ hits, ends }: ScanResult): Uint8Array[] {
  return ends.map((end, index) => hits.subarray(ends[index - 1] ?? 0, end));
}

/** Reasons why an answer may be incomplete. */
export interface SearchGaps {
  /** Reason why nothing is fed to the index at present. */
  paused?: SearchPaused | undefined;
  /** Set if text that was taken in before was not stored in time. */
  behind?: true | undefined;
}

/** Returns a `SearchAnswer` as JSON in UTF-8, from hits in the same form. */
export function answerOf(hits: readonly Uint8Array[], gaps: SearchGaps): Uint8Array {
  const list = hits.flatMap((hit, index) => (index === 0 ? [hit] : [COMMA, hit]));
  const end = JSON.stringify(gaps).slice(1);
  return Buffer.concat([Buffer.from('{"results":['), ...list, Buffer.from(end === '}' ? ']}' : `],${end}`)]);
}
