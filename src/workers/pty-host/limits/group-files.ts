import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Controllers by which terminals are limited. */
export const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;
export type Controller = (typeof CONTROLLERS)[number];

/** Writes a file of a control group. Throws the error of the system. */
export function writeGroup(group: string, file: string, value: string | number): void {
  writeFileSync(join(group, file), `${value}\n`);
}

/** Reads a file of a control group; null if it cannot be read. */
export function readGroup(group: string, file: string): string | null {
  try {
    return readFileSync(join(group, file), 'utf8').trim();
  } catch {
    // The group is gone, or the kernel or a controller does not have this file.
    return null;
  }
}

/** Reads the number in a file, which has one line; null for `max`, and if it cannot be read. */
export function readNumber(group: string, file: string): number | null {
  const text = readGroup(group, file);
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

/** Reads one of the lines `name number` of a file; null if it cannot be read. */
export function readCount(group: string, file: string, name: string): number | null {
  const [, count] = new RegExp(`^${name} (\\d+)$`, 'm').exec(readGroup(group, file) ?? '') ?? [];
  return count === undefined ? null : Number(count);
}

/** Returns the words of a file, such as controllers or process ids. */
export function wordsOf(group: string, file: string): string[] {
  return (readGroup(group, file) ?? '').split(/\s+/).filter((word) => word !== '');
}
