import { createHash } from 'node:crypto';

/** The hash that the first line of a log has in place of the hash of a previous line. */
export const NO_LINE = '0'.repeat(64);

/** Content of a line besides its place in the chain. */
export type AuditFields = Readonly<Record<string, unknown>> & { readonly action: string };

/** A line that was read. */
export interface AuditLine {
  /** Number of the line, from 1 on, without a gap. */
  n: number;
  /** Epoch milliseconds. */
  at: number;
  /** SHA-256 of the line before, as 64 hex digits. */
  prev: string;
  fields: AuditFields;
}

/** Returns a line without its line feed. */
export function encodeLine({ n, at, prev, fields }: AuditLine): string {
  return JSON.stringify({ n, at, ...fields, prev });
}

/** Returns the line that a text holds; undefined if it holds none. */
export function decodeLine(text: string): AuditLine | undefined {
  const { n, at, prev, ...fields } = objectIn(text) ?? {};
  const isLine =
    Number.isSafeInteger(n) && typeof at === 'number' && typeof prev === 'string' && hasAction(fields);
  return isLine ? { n: n as number, at, prev, fields } : undefined;
}

/** Returns the SHA-256 of a line without its line feed, as hex digits. */
export function hashOf(line: string | Uint8Array): string {
  return createHash('sha256').update(line).digest('hex');
}

function hasAction(fields: Record<string, unknown>): fields is AuditFields {
  return typeof fields.action === 'string';
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    // The caller reports that the line is damaged.
    return undefined;
  }
}
