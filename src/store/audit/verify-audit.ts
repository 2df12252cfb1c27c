import { basename } from 'node:path';
import { decodeLine, hashOf, NO_LINE } from './audit-line.js';
import { readAudit } from './read-audit.js';

/** Result of a check of the whole log. */
export interface AuditCheck {
  /** Whether each line follows from the one before. */
  isWhole: boolean;
  /** Numbers of the first and the last line up to which it is whole; 0 if there is none. */
  first: number;
  last: number;
  /** Place of the first fault, and its reason. */
  fault?: { file: string; row: number; why: string };
}

/**
 * Checks the chain of the log in a folder. The lines before the first kept line are deleted, so they cannot be checked.
 * Rejects with the errors of the file system.
 */
export async function verifyAudit(folder: string): Promise<AuditCheck> {
  let first = 0;
  let last = 0;
  let hash = NO_LINE;
  for await (const { text, path, row } of readAudit(folder)) {
    const fault = (why: string) => ({
      isWhole: false,
      first,
      last,
      fault: { file: basename(path), row, why },
    });
    const line = decodeLine(text);
    if (!line) return fault('it is no line of an audit log');
    const isFirst = first === 0;
    if (isFirst && line.n === 1 && line.prev !== NO_LINE) return fault('lines before it are missing');
    if (!isFirst && line.n !== last + 1) return fault(`its number is ${line.n}, and not ${last + 1}`);
    if (!isFirst && line.prev !== hash) return fault('the line before it was changed, or another was there');
    if (isFirst) first = line.n;
    last = line.n;
    hash = hashOf(text);
  }
  return { isWhole: true, first, last };
}
