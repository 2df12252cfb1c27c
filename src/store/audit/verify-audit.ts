import { basename } from 'node:path';
import { decodeLine, hashOf, NO_LINE } from './audit-line.js';
import { readAudit } from './read-audit.js';

const BEGINNING_GONE = 'lines before it are missing';

/** Result of a check of the whole log. */
export interface AuditCheck {
  /** Whether each line follows from the previous line. */
  isWhole: boolean;
  /** Numbers of the first and the last line up to which it is whole; 0 if there is none. */
  first: number;
  last: number;
  /** Place of the first fault, and its reason. */
  fault?: { file: string; row: number; why: string };
}

/**
 * Checks the chain of the log in a folder. The lines before the first kept line cannot be checked; a line says that they
 * were deleted. If that happens meanwhile, the check begins anew with the lines that are left. Rejects with the errors of
 * the file system.
 */
export async function verifyAudit(folder: string): Promise<AuditCheck> {
  let first = 0;
  let last = 0;
  let hash = NO_LINE;
  let begin = '';
  /** Numbers of the lines that came first after old files were deleted. */
  const trimmed = new Set<unknown>();
  const beginAnew = () => {
    [first, last, hash] = [0, 0, NO_LINE];
  };
  for await (const { text, path, row } of readAudit(folder, 1, beginAnew)) {
    const fault = (why: string) => ({
      isWhole: false,
      first,
      last,
      fault: { file: basename(path), row, why },
    });
    const line = decodeLine(text);
    if (!line) return fault('it is no line of an audit log');
    const isFirst = first === 0;
    if (isFirst && line.n === 1 && line.prev !== NO_LINE) return fault(BEGINNING_GONE);
    if (!isFirst && line.n !== last + 1) return fault(`its number is ${line.n}, and not ${last + 1}`);
    if (!isFirst && line.prev !== hash) return fault('the line before it was changed, or another was there');
    if (isFirst) [first, begin] = [line.n, basename(path)];
    if (line.fields.action === 'audit.trimmed') trimmed.add(line.fields.first);
    last = line.n;
    hash = hashOf(text);
  }
  if (first > 1 && !trimmed.has(first)) {
    const fault = { file: begin, row: 1, why: BEGINNING_GONE };
    return { isWhole: false, first: 0, last: 0, fault };
  }
  return { isWhole: true, first, last };
}
