import { DomainError } from '../../contract/errors.js';
import { MAX_ANSWERS_BYTES } from '../../contract/limits.js';
import type { PrintedSince } from './protocol.js';

/** Terminals asked at the same time: each waits for its turn, and their answers take memory meanwhile. */
const BATCH = 64;

/** A terminal that can be asked for its output. */
export interface Printer {
  /** Resolves with undefined if nothing was printed. Throws `invalid-cursor`, and `terminal-not-found` when closed. */
  printedSince(cursor: string | null, maxBytes: number): Promise<PrintedSince | undefined>;
}

export interface Changes {
  changes: PrintedSince[];
  /** Ids of terminals whose cursor is invalid. */
  invalid: string[];
}

/** Returns the output of each terminal since its cursor, without terminals that are not here or close meanwhile. */
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
      id,
      cursor,
      change: await printedBy(printers.get(id), cursor, Math.min(maxBytes, room)),
    }));
    for (const { id, cursor, change } of await Promise.all(asked)) {
      if (change === 'invalid') answer.invalid.push(id);
      if (typeof change !== 'object') continue;
      // Without room, the caller keeps its cursor, so that its next call returns this output.
      if (room > 0) answer.changes.push(change);
      else if (cursor !== null) answer.changes.push({ ...change, cursor });
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
