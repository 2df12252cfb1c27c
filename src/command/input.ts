import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Context } from './context.js';
import { usageError } from './exit-codes.js';

/** Resolves with the text of a file, or of standard input if `file` is "-". */
export async function textOf(context: Context, file: string): Promise<string> {
  if (file === '-') return text(context.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw usageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}
