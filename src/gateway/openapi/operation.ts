import { STATUS_CODES } from 'node:http';
import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import { ERRORS } from '../../contract/errors.js';
import { ErrorBody } from '../failures.js';
import type { JsonSchema, SchemaConverter } from './json-schema.js';

/** One operation of an OpenAPI 3.1 document, as far as this service's routes need it. */
export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: readonly string[];
  deprecated?: boolean;
  security?: FastifySchema['security'];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, Response>;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

interface Response {
  description: string;
  headers?: Record<string, JsonSchema>;
  content?: Record<string, { schema: JsonSchema }>;
}

export interface RouteFacts {
  method: string;
  /** As Fastify writes it, with `:id`. */
  url: string;
  schema: FastifySchema;
}

const JSON_TYPE = 'application/json';

const PLACES = [
  ['params', 'path'],
  ['querystring', 'query'],
  ['headers', 'header'],
] as const;

/** The operation that a route's zod schemas describe, with the failures that any route may answer. */
export function operationOf(route: RouteFacts, converter: SchemaConverter): Operation {
  const { summary, description, tags, deprecated, security } = route.schema;
  const parameters = parametersOf(route, converter);
  const requestBody = requestBodyOf(route, converter);
  return {
    operationId: operationIdOf(route),
    ...defined({ summary, description, tags, deprecated, security }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: responsesOf(route, converter),
  };
}

/** `GET /api/terminals/:id/size` -> `getApiTerminalsIdSize`: unique, since method and path are. */
function operationIdOf({ method, url }: RouteFacts): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join(
    '',
  );
}

/** `POST /api/search` and `Body` -> `PostApiSearchBody`. */
function nameFor(route: RouteFacts, part: string): string {
  const id = operationIdOf(route);
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}${part}`;
}

/** A string of the URL that is read as something else says what by `meta({ parameter: schema })`. */
function parametersOf(route: RouteFacts, converter: SchemaConverter): Parameter[] {
  return PLACES.flatMap(([part, place]) => {
    const declared = route.schema[part];
    if (!(declared instanceof z.ZodType)) return [];
    const { schema } = converter.convert(declared, 'input', operationIdOf(route));
    return Object.entries(schema.properties ?? {}).map(([name, { description, parameter, ...text }]) => ({
      name,
      in: place,
      required: place === 'path' || (schema.required ?? []).includes(name),
      ...defined({ description }),
      schema: parameter === undefined ? text : { ...defined({ default: text.default }), ...parameter },
    }));
  });
}

function requestBodyOf(route: RouteFacts, converter: SchemaConverter): Operation['requestBody'] {
  const declared = route.schema.body;
  if (!(declared instanceof z.ZodType)) return undefined;
  const { schema: inline, isOptional } = converter.convert(declared, 'input', operationIdOf(route));
  const schema = converter.named(inline, nameFor(route, 'Body'));
  return { required: !isOptional, content: { [JSON_TYPE]: { schema } } };
}

function responsesOf(route: RouteFacts, converter: SchemaConverter): Operation['responses'] {
  const own = (route.schema.response ?? {}) as Record<string, unknown>;
  const responses: Operation['responses'] = {};
  for (const [status, declared] of Object.entries(own)) {
    responses[status] = responseOf(status, declared, route, converter);
  }
  for (const [status, reason] of Object.entries(commonFailures(route))) {
    const earlier = own[status] === undefined ? undefined : responses[status]?.description;
    const failure = ErrorBody.describe(earlier === undefined ? reason : `${earlier}; or ${reason}`);
    responses[status] = responseOf(status, failure, route, converter);
  }
  for (const response of Object.values(responses)) {
    response.headers = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };
  }
  return responses;
}

/** A zod schema stands for JSON, one of `z.void()` for no body; other types come as `{content: {type: {schema}}}`. */
function responseOf(
  status: string,
  declared: unknown,
  route: RouteFacts,
  converter: SchemaConverter,
): Response {
  const fallback = STATUS_CODES[status] ?? status;
  const owner = operationIdOf(route);
  const name = nameFor(route, status === '200' ? 'Answer' : `Answer${status}`);
  const nameJson = (type: string, schema: JsonSchema) =>
    type === JSON_TYPE ? converter.named(schema, name) : schema;
  if (declared instanceof z.ZodType) {
    const converted = converter.convert(declared, 'output', owner);
    const { description = fallback, ...inline } = converted.schema;
    const schema = converter.named(inline, name);
    if (converted.isOptional) return { description };
    const types = route.schema.produces ?? [JSON_TYPE];
    return { description, content: Object.fromEntries(types.map((type) => [type, { schema }])) };
  }
  const { description = fallback, content = {} } = declared as {
    description?: string;
    content?: Record<string, { schema: z.ZodType }>;
  };
  return {
    description,
    content: Object.fromEntries(
      Object.entries(content).map(([type, media]) => [
        type,
        { schema: nameJson(type, converter.convert(media.schema, 'output', owner).schema) },
      ]),
    ),
  };
}

/** What every route may answer, by status. */
function commonFailures({ method, schema }: RouteFacts): Record<number, string> {
  const failures: Record<number, string> = {
    400: 'The request is not valid; the message names the part and what is wrong with it',
    403: 'Host or Origin is not allowed',
    500: 'A fault of the service, named in its log under the `x-request-id` of the answer',
    408: 'The request did not end within a minute; the connection is closed',
    431: 'The headers are larger than 16 KiB, the URL among them; the connection is closed',
    503: 'Too busy, or shutting down: try again after `Retry-After` seconds',
  };
  const isOpen = schema.security?.length === 0;
  if (!isOpen) {
    failures[401] = 'In exposed mode: the token is missing or wrong (`unauthorized`)';
    failures[421] = 'Another instance answers here than the one that `x-auto-terminal-instance` names';
  }
  if (method === 'GET') return failures;
  return {
    ...failures,
    403: 'Host, Origin or content type is not allowed',
    413: 'The body is larger than 8 MiB',
    415: 'The body is not declared as `application/json`, of another charset than UTF-8, or has a `Content-Encoding`',
    507: ERRORS['storage-full'].message,
  };
}

/** Without the keys that are undefined, which JSON would drop and comparisons would not. */
function defined<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Partial<Values>;
}
