import { z } from 'zod';

/** The schemas' metadata without ids: a schema with an id would become a `$ref` instead of standing in place. */
class Descriptions extends z.core.$ZodRegistry<Record<string, unknown>> {
  override get(schema: z.core.$ZodType): Record<string, unknown> | undefined {
    const { id: _id, ...meta } = z.globalRegistry.get(schema) ?? {};
    return meta;
  }
}

const DESCRIPTIONS = new Descriptions();

/**
 * Returns the JSON Schema (2020-12) of a tool's arguments or answer. It has no `$ref`, which some clients do not know
 * and models read less easily. Bounds that only say that an integer is safe are left out.
 */
export function schemaOf(schema: z.ZodObject, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io,
    metadata: DESCRIPTIONS,
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return json;
}
