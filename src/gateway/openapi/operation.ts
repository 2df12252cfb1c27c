import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Reach, Verb } from '../../contract/access.js';
import type { JsonSchema } from './json-schema.js';
import {
  JSON_TYPE,
  type Media,
  nameFor,
  operationIdOf,
  type Response,
  type RouteFacts,
  type Shared,
} from './parts.js';
import { responsesOf } from './responses.js';

/** One operation of an OpenAPI 3.1 document, with the fields that this service's routes need. */
export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: readonly string[];
  deprecated?: boolean;
  security?: FastifySchema['security'];
  /** Verbs that a token needs in guarded mode; absent where no token is needed. */
  'x-verbs'?: readonly Verb[];
  /** Treatment of a token that is bound to some terminals. */
  'x-reach'?: Reach;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Response | { $ref: string }>;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
}

const PLACES = [
  ['params', 'path'],
  ['querystring', 'query'],
  ['headers', 'header'],
] as const;

/** Returns the operation that a route's zod schemas describe, with the failures that any route may answer. */
export function operationOf(route: RouteFacts, shared: Shared): Operation {
  const { access } = route;
  const { summary, description, tags, deprecated, security } = route.schema;
  const parameters = parametersOf(route, shared);
  const requestBody = requestBodyOf(route, shared);
  return {
    operationId: operationIdOf(route),
    ...defined({ summary, description, tags, deprecated, security }),
    ...(access && access.reach !== 'open' && { 'x-verbs': access.verbs }),
    ...(access && { 'x-reach': access.reach }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: responsesOf(route, shared),
  };
}

/** A parameter whose string is parsed into another type declares that type by `meta({ parameter: schema })`. */
function parametersOf(route: RouteFacts, { converter, examples }: Shared): Parameter[] {
  const operationId = operationIdOf(route);
  return PLACES.flatMap(([part, place]) => {
    const declared = route.schema[part];
    if (!(declared instanceof z.ZodType)) return [];
    const { schema } = converter.convert(declared, 'input', operationId);
    return Object.entries(schema.properties ?? {}).map(([name, { description, parameter, ...text }]) => ({
      name,
      in: place,
      required: place === 'path' || (schema.required ?? []).includes(name),
      ...defined({ description }),
      schema: parameter === undefined ? text : { ...defined({ default: text.default }), ...parameter },
      ...examples.parameter(operationId, name),
    }));
  });
}

function requestBodyOf(route: RouteFacts, { converter, examples }: Shared): Operation['requestBody'] {
  const declared = route.schema.body;
  if (!(declared instanceof z.ZodType)) return undefined;
  const operationId = operationIdOf(route);
  const { schema: inline, isOptional } = converter.convert(declared, 'input', operationId);
  const schema = converter.named(inline, nameFor(route, 'Body'));
  return {
    required: !isOptional,
    content: { [JSON_TYPE]: { schema, ...examples.body(operationId) } },
  };
}

/** Drops the keys that are undefined: JSON would drop them, too, but comparisons would not. */
function defined<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Partial<Values>;
}
