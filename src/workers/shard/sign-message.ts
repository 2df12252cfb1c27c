import type { FoundLines } from './watches/watch-api.js';

/** What a terminal does beside its output, which shards report only now and then. */
export type SignMessage =
  /** The terminal has printed `bytes` since the report before; only while that is watched. */
  | { type: 'active'; id: string; bytes: number }
  /** A program has set the title: text of one line without control characters, at most MAX_TITLE_CHARS. */
  | { type: 'titled'; id: string; title: string }
  /** A program rings; only while that is watched. */
  | { type: 'bell'; id: string }
  /** Standing searches have found lines. */
  | FoundLines;
