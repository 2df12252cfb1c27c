import { DomainError } from '../../contract/errors.js';
import { MAX_ANSWERS_BYTES } from '../../contract/limits.js';
import type { PrintedSince } from './protocol.js';

/** Terminals that are asked together: each waits for its turn, and what they have printed takes memory. */
const BATCH = 64;

/** A terminal that can be asked what it has printed. */
export interface Printer {
  /** Undefined when that is nothing. Throws `invalid-cursor`, and `terminal-not-found` when it is closed. */
  printedSince(cursor: string | null, maxBytes: number): Promise<PrintedSince | undefined>;
}

export interface Changes {
  changes: PrintedSince[];
  /** Ids whose cursor is not of that terminal. */
  invalid: string[];
}

/** What each of these terminals has printed since its cursor; those that are not here, or go meanwhile, are left out. */
export async function changesOf(
  printers: ReadonlyMap<string, Printer>,
  cursors: ReadonlyMap<string, string | null>,
  maxBytes: number,
): Promise<Changes> {
  const answer: Changes = { changes: [], invalid: [] };
  const wanted = [...cursors];
  let left = MAX_ANSWERS_BYTES;
  for (let from = 0; from < wanted.length; from += BATCH) {
    const room = Math.max(0, left);
    const asked = wanted.slice(from, from + BATCH).map(async ([id, cursor]) => ({
      ...{ id, cursor },
      change: await printedBy(printers.get(id), cursor, Math.min(maxBytes, room)),
    }));
    for (const { id, cursor, change } of await Promise.all(asked)) {
      if (change === 'invalid') answer.invalid.push(id);
      if (typeof change !== 'object') continue;
      // What does not fit any more is left to the next call.
      answer.changes.push(room > 0 ? change : { ...change, cursor: cursor ?? change.cursor });
      left -= Buffer.byteLength(change.raw);
    }
  }
  return answer;
}

async function printedBy(
  printer: Printer | undefined,
  cursor: string | null,
  maxBytes: number,
): Promise<PrintedSince | 'invalid' | undefined> {
  try {
    return await printer?.printedSince(cursor, maxBytes);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.code === 'invalid-cursor') return 'invalid';
    if (error.code === 'terminal-not-found') return undefined;
    throw error;
  }
}
