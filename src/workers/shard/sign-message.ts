import type { FoundLines } from './watches/watch-api.js';

/** Message about the signs of a terminal, which shards report only now and then. */
export type SignMessage =
  /** The terminal has printed `bytes` since the previous report; posted only while activity is watched. */
  | { type: 'active'; id: string; bytes: number }
  /** A program has set the title: text of one line without control characters, at most MAX_TITLE_CHARS. */
  | { type: 'titled'; id: string; title: string }
  /** A program has rung the bell; posted only while bells are watched. */
  | { type: 'bell'; id: string }
  /** Standing searches have found lines. */
  | FoundLines;
