import type { FastifySchema } from 'fastify';
import type { Need } from '../../contract/access.js';
import type { Examples, FailureExamples } from './examples.js';
import type { JsonSchema, SchemaConverter } from './json-schema.js';

export interface RouteFacts {
  method: string;
  /** As Fastify writes it, with `:id`. */
  url: string;
  schema: FastifySchema;
  /** Verbs and reach that the route needs of a token. */
  access?: Need | undefined;
}

/** A body in one media type. */
export interface Media {
  schema: JsonSchema;
  example?: unknown;
  examples?: FailureExamples;
}

/** The answer with one status. */
export interface Response {
  description: string;
  headers?: Record<string, JsonSchema>;
  content?: Record<string, Media>;
}

/** State that the operations of one document share. */
export interface Shared {
  converter: SchemaConverter;
  examples: Examples;
  /** The document's `components.responses`: failures that are the same for many routes. */
  responses: Record<string, Response>;
}

export const JSON_TYPE = 'application/json';

/**
 * Returns the operation's id: `GET /api/terminals/:id/size` -> `getApiTerminalsIdSize`. Unique, since method and path
 * are.
 */
export function operationIdOf({ method, url }: RouteFacts): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join(
    '',
  );
}

/** Returns a name for a part of a route: `POST /api/search` and `Body` -> `PostApiSearchBody`. */
export function nameFor(route: RouteFacts, part: string): string {
  const id = operationIdOf(route);
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}${part}`;
}
