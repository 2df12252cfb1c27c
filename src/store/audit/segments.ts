import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SUFFIX = '.jsonl';
const DIGITS = 12;

/** A file of the log. Its name is the number of its first line. */
export interface Segment {
  path: string;
  first: number;
}

export function segmentAt(folder: string, first: number): Segment {
  return { path: join(folder, `${String(first).padStart(DIGITS, '0')}${SUFFIX}`), first };
}

/** Returns the files of the log, oldest first; none if there is no folder. Ignores other files. */
export function segmentsIn(folder: string): Segment[] {
  if (!existsSync(folder)) return [];
  const name = new RegExp(`^\\d{${DIGITS}}\\${SUFFIX}$`);
  return readdirSync(folder)
    .filter((file) => name.test(file))
    .sort()
    .map((file) => ({ path: join(folder, file), first: Number(file.slice(0, DIGITS)) }));
}

/** Returns the size in bytes and the time of the last change in epoch milliseconds. */
export function factsOf({ path }: Segment): { bytes: number; changedAt: number } {
  const { size, mtimeMs } = statSync(path);
  return { bytes: size, changedAt: mtimeMs };
}
