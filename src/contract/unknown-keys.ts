import { z } from 'zod';

/** Maximum number of keys that are reported; data may have any number. */
const MAX_NAMED = 20;

/** Returns the schema within optional, nullable and default wrappers, since only the inner schema lists the keys. */
function inner(schema: unknown): unknown {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return isWrapper ? inner(schema.unwrap()) : schema;
}

/**
 * Returns the keys of an object that its schema does not know, such as `network.prot`, including keys of nested objects
 * and tables; at most 20. Returns none for data that is not an object.
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
