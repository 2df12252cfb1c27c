import { z } from 'zod';
import { MAX_LABEL_CHARS, MAX_PROCESS_STRING_CHARS, MAX_PROCESS_STRINGS_CHARS } from './limits.js';

/** A string that reaches a process: text without NUL, which ends a C string. */
export const processString = z
  .string()
  .max(MAX_PROCESS_STRING_CHARS)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL character');

/** Environment variables of a process, by name. */
export const environment = z.record(z.string().regex(/^[^=\0]+$/, 'invalid variable name'), processString);

/** A name or id that a client chooses and the service keeps. */
export const label = z.string().max(MAX_LABEL_CHARS);

/** Returns whether variables and arguments together leave room for the service's own within execve's limit. */
export function fitsProcess(env: Record<string, string>, args: string[]): boolean {
  const strings = [...Object.entries(env).flat(), ...args];
  return strings.reduce((sum, text) => sum + text.length, 0) <= MAX_PROCESS_STRINGS_CHARS;
}

/**
 * Control characters that end, suspend, stop or cut short the typed text or its program, even within a paste: NUL,
 * Ctrl+C, Ctrl+D, XON, XOFF, Ctrl+Z and Ctrl+\\.
 */
const NOT_TYPEABLE = /[\x00\x03\x04\x11\x13\x1a\x1c]/;

/** A command for a shell: one line or several. */
export const commandText = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    const found = NOT_TYPEABLE.exec(text);
    if (!found) return;
    const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    const message = `must not contain U+${code}, which cannot be pasted; to press a key, use /keys`;
    context.addIssue({ code: 'custom', message });
  });
