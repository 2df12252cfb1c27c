import { z } from 'zod';

/** Most keys that are named; data may have any number. */
const MAX_NAMED = 20;

/** Optional, nullable and default schemas stand around the one that tells the keys. */
function inner(schema: unknown): unknown {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return isWrapper ? inner(schema.unwrap()) : schema;
}

/**
 * Keys of an object that its schema does not know, as `network.prot`; also those of objects in it, and of tables. Data
 * that is no object has none.
 */
export function unknownKeys(schema: z.ZodType, data: unknown): string[] {
  return keysIn(inner(schema), data, '').slice(0, MAX_NAMED);
}

function keysIn(schema: unknown, data: unknown, path: string): string[] {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return [];
  const entries = Object.entries(data);
  if (schema instanceof z.ZodRecord)
    return entries.flatMap(([key, value]) => keysIn(inner(schema.valueType), value, `${path}${key}.`));
  if (!(schema instanceof z.ZodObject)) return [];
  return entries.flatMap(([key, value]) =>
    Object.hasOwn(schema.shape, key)
      ? keysIn(inner(schema.shape[key]), value, `${path}${key}.`)
      : [`${path}${key}`],
  );
}
