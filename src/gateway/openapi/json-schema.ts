import { z } from 'zod';

/** A JSON Schema (2020-12, as OpenAPI 3.1 has it) as plain data. */
export interface JsonSchema {
  [keyword: string]: unknown;
  type?: string | string[];
  $ref?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

/** What a client may send, or what the service answers: defaults and transforms make the two differ. */
export type Direction = 'input' | 'output';

/** A converted schema. */
export interface Converted {
  schema: JsonSchema;
  /** Nothing may stand in its place: a body that may be absent, or one that is always empty. */
  isOptional: boolean;
}

const DEFINITIONS = '#/$defs/';
const COMPONENTS = '#/components/schemas/';

/** Turns zod schemas into JSON Schema and gathers those that have an id, or that refer to themselves. */
export class SchemaConverter {
  /** The document's `components.schemas`. */
  readonly components: Record<string, JsonSchema> = {};

  /**
   * Converts one schema. `owner` names what has no id of its own and refers to itself. Input schemas carry
   * `Input` at the end of their id: what may be left out of a request stands in every answer.
   */
  convert(schema: z.ZodType, direction: Direction, owner: string): Converted {
    // Within an object, so that a root is like any other place: it may be optional, or refer to itself.
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

  /** The schema under a name of the document's, so that generated clients have one for it; what has one stays as it is. */
  named(schema: JsonSchema, name: string): JsonSchema {
    const entries = Object.entries(schema);
    const body = entries.filter(([key]) => !ANNOTATIONS.has(key));
    if (body.length === 0 || schema.$ref !== undefined) return schema;
    this.components[name] = Object.fromEntries(body);
    const beside = Object.fromEntries(entries.filter(([key]) => ANNOTATIONS.has(key)));
    return { $ref: `${COMPONENTS}${name}`, ...beside };
  }
}

/** Keywords that stand beside a schema rather than in it. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['description', 'default']);

/** Keywords whose value is data, whatever it looks like. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples']);

/** Keywords whose value holds schemas under names of the user's. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties']);

/** Points references at the components, and drops the bounds that only say that an integer is exact. */
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
