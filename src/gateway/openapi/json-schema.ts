import { z } from 'zod';

/** A JSON Schema (2020-12, which OpenAPI 3.1 uses) as plain data. */
export interface JsonSchema {
  [keyword: string]: unknown;
  type?: string | string[];
  $ref?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

/** Whether a schema is for requests or for answers, which differ by defaults and transforms. */
export type Direction = 'input' | 'output';

/** A converted schema. */
export interface Converted {
  schema: JsonSchema;
  /** Whether the value may be absent: an optional body, or a body that is always empty. */
  isOptional: boolean;
}

const DEFINITIONS = '#/$defs/';
const COMPONENTS = '#/components/schemas/';

/** Converts zod schemas to JSON Schema, and collects the schemas that have an id or refer to themselves. */
export class SchemaConverter {
  /** The document's `components.schemas`. */
  readonly components: Record<string, JsonSchema> = {};

  /**
   * Converts one schema. `owner` names a schema that refers to itself and has no id of its own. Ids of input schemas
   * end in `Input`, since fields that a request may leave out are present in every answer.
   */
  convert(schema: z.ZodType, direction: Direction, owner: string): Converted {
    // Converted within an object, so that the root is a place like any other, which may be optional or refer to itself.
    const { properties, required, $defs } = z.toJSONSchema(z.object({ value: schema }), {
      io: direction,
      unrepresentable: ({ zodSchema, message }) => {
        if (['void', 'undefined'].includes(zodSchema._zod.def.type)) return { 'x-empty': true };
        throw new Error(`${owner} cannot be documented: ${message}`);
      },
    }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    const nameOf = (id: string) => {
      const name = id.startsWith('__') ? `${owner}${id.replace(/^_+/, '')}` : id;
      return direction === 'input' ? `${name}Input` : name;
    };
    for (const [id, definition] of Object.entries($defs ?? {})) {
      this.components[nameOf(id)] = tidy(definition, nameOf) as JsonSchema;
    }
    const value = tidy(properties?.value ?? {}, nameOf) as JsonSchema;
    const { 'x-empty': isEmpty, ...rest } = value;
    return { schema: rest, isOptional: isEmpty === true || !required?.includes('value') };
  }

  /**
   * Moves the schema to the document's components under this name, so that generated clients have a type for it. A
   * schema that is a reference already, or has only annotations, stays as it is.
   */
  named(schema: JsonSchema, name: string): JsonSchema {
    const entries = Object.entries(schema);
    const body = entries.filter(([key]) => !ANNOTATIONS.has(key));
    if (body.length === 0 || schema.$ref !== undefined) return schema;
    this.components[name] = Object.fromEntries(body);
    const beside = Object.fromEntries(entries.filter(([key]) => ANNOTATIONS.has(key)));
    return { $ref: `${COMPONENTS}${name}`, ...beside };
  }
}

/** Keywords that stay beside the reference when a schema becomes a component. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['description', 'default']);

/** Keywords whose value is data, even if it looks like a schema. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples']);

/** Keywords whose value maps names chosen by the schema's author to schemas. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties']);

/** Points references to the components, and drops the bounds of safe integers, which say nothing else. */
function tidy(schema: unknown, nameOf: (id: string) => string): unknown {
  if (Array.isArray(schema)) return schema.map((each) => tidy(each, nameOf));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(
    ([key, value]) =>
      !(key === 'minimum' && value === Number.MIN_SAFE_INTEGER) &&
      !(key === 'maximum' && value === Number.MAX_SAFE_INTEGER),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, tidyValue(key, value, nameOf)]));
}

function tidyValue(keyword: string, value: unknown, nameOf: (id: string) => string): unknown {
  if (DATA.has(keyword)) return value;
  if (keyword === '$ref' && typeof value === 'string' && value.startsWith(DEFINITIONS))
    return `${COMPONENTS}${nameOf(value.slice(DEFINITIONS.length))}`;
  if (!NAMED.has(keyword)) return tidy(value, nameOf);
  const named = Object.entries(value as Record<string, unknown>);
  return Object.fromEntries(named.map(([name, schema]) => [name, tidy(schema, nameOf)]));
}
