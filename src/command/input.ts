import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Context } from './context.js';
import { usageError } from './exit-codes.js';

/** Resolves with standard input. Rejects if the user interrupts the command. */
export async function standardInput(context: Context): Promise<string> {
  if (context.stdin.isTTY)
    context.say('auto-terminal: reads what you type; Ctrl+D at the start of a line ends it');
  return decoded(await buffer(addAbortSignal(context.signal, context.stdin)), 'Standard input');
}

/** Returns bytes as text. Throws if they are none: with other characters in their place, a program would read something else. */
function decoded(bytes: Uint8Array, source: string): string {
  try {
    // A mark of the byte order is text for the program that reads it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usageError(`${source} is no text in UTF-8`, 'Convert it first, such as with iconv or base64');
  }
}

/** Resolves with the text of a file, or of standard input if `file` is "-", without a mark of the byte order. */
export async function textOf(context: Context, file: string): Promise<string> {
  return (await contentOf(context, file)).replace(/^\ufeff/, '');
}

async function contentOf(context: Context, file: string): Promise<string> {
  if (file === '-') return standardInput(context);
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${file} cannot be read: ${error.code}`);
  });
  return decoded(bytes, file);
}
