import { z } from 'zod';

/** What schemas say of themselves, less the ids that would take them out of their place. */
class Descriptions extends z.core.$ZodRegistry<Record<string, unknown>> {
  override get(schema: z.core.$ZodType): Record<string, unknown> | undefined {
    const { id: _id, ...meta } = z.globalRegistry.get(schema) ?? {};
    return meta;
  }
}

const DESCRIPTIONS = new Descriptions();

/**
 * The JSON Schema (2020-12) of a tool's arguments or answer, in one piece: clients that know no `$ref`, and models,
 * read it more easily. Bounds that only say that an integer is exact are left out.
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
