import { z } from 'zod';
import { MAX_LABEL_CHARS, MAX_PROCESS_STRING_CHARS, MAX_PROCESS_STRINGS_CHARS } from './limits.js';

/** A string that reaches a process: text without NUL, which would cut it short in C. */
export const processString = z
  .string()
  .max(MAX_PROCESS_STRING_CHARS)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL character');

/** Variables of a process by name. */
export const environment = z.record(z.string().regex(/^[^=\0]+$/, 'invalid variable name'), processString);

/** A name or id that a client chooses and the service keeps. */
export const label = z.string().max(MAX_LABEL_CHARS);

/** Whether variables and arguments together leave room for the service's own in what execve takes. */
export function fitsProcess(env: Record<string, string>, args: string[]): boolean {
  const strings = [...Object.entries(env).flat(), ...args];
  return strings.reduce((sum, text) => sum + text.length, 0) <= MAX_PROCESS_STRINGS_CHARS;
}
