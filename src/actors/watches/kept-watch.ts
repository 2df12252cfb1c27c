import { z } from 'zod';
import { Labels } from '../../contract/labels.js';
import { literalOf } from '../../contract/regex-literal.js';
import { WatchAction, type WatchBody } from '../../contract/watch.js';
import type { Codec } from '../../store/store.js';
import type { LineSearch } from '../../workers/shard/watches/watch-api.js';

/** A line that waits for its terminal to be idle. */
const KeptInput = z.object({
  /** Index of the action. */
  action: z.int(),
  /** Terminal of the latest match. */
  matchedIn: z.string(),
  count: z.int(),
  since: z.int(),
  /** Id of the operation, under which the pty host types it at most once. */
  once: z.string(),
});
export type KeptInput = z.infer<typeof KeptInput>;

/** A watch as it is stored. Bounds are checked when a request comes in. */
const KeptWatch = z.object({
  name: z.string().nullable(),
  selector: Labels.nullable(),
  terminals: z.array(z.string()).nullable(),
  text: z.string().nullable(),
  regex: z.string().nullable(),
  debounceMs: z.int(),
  maxPerMinute: z.int(),
  once: z.boolean(),
  actions: z.array(WatchAction),
  createdAt: z.int(),
  expiresInMs: z.int().nullable(),
  /** When it expires, on the clock of `hrMs`; no clock makes its life longer than `expiresInMs`. */
  expiresAtHr: z.number().nullable(),
  matches: z.int(),
  events: z.int(),
  lastMatch: z.object({ terminalId: z.string(), text: z.string(), at: z.int() }).nullable(),
  gaps: z.int(),
  leftOut: z.int(),
  isTooSlow: z.boolean(),
  /** Reason of its end; null before. */
  ended: z.enum(['once', 'expired']).nullable(),
  inputs: z.array(KeptInput),
});
export type KeptWatch = z.infer<typeof KeptWatch>;

export const WATCH_CODEC: Codec<KeptWatch> = { version: 1, schema: KeptWatch };

/** Returns what shards search for. */
export function searchOf(id: string, { text, regex, selector, terminals }: KeptWatch): LineSearch {
  return { id, text: text ?? literalOf(regex ?? ''), isWhole: text === null, selector, terminals };
}

/** @param now - the present on the clock of `hrMs` */
export function recordOf(body: WatchBody, now: number): KeptWatch {
  const { name = null, selector = null, terminals = null, text = null, regex = null } = body;
  const { debounceMs, maxPerMinute, once, actions, expiresInMs = null } = body;
  return {
    ...{ name, selector, terminals, text, regex, debounceMs, maxPerMinute, once, actions, expiresInMs },
    createdAt: Date.now(),
    expiresAtHr: expiresInMs === null ? null : now + expiresInMs,
    ...{ matches: 0, events: 0, lastMatch: null, gaps: 0, leftOut: 0, isTooSlow: false },
    ...{ ended: null, inputs: [] },
  };
}
