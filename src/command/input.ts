import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Context } from './context.js';
import { usageError } from './exit-codes.js';

/** Resolves with standard input. Rejects if the user interrupts the command. */
export function standardInput(context: Context): Promise<string> {
  if (context.stdin.isTTY)
    context.say('auto-terminal: reads what you type; Ctrl+D at the start of a line ends it');
  return text(addAbortSignal(context.signal, context.stdin));
}

/** Resolves with the text of a file, or of standard input if `file` is "-". */
export async function textOf(context: Context, file: string): Promise<string> {
  if (file === '-') return standardInput(context);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw usageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}
