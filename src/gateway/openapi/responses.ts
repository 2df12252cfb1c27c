import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { ErrorCode } from '../../contract/errors.js';
import { ErrorBody, failureBody } from '../failures.js';
import { commonFailures } from './common-failures.js';
import {
  JSON_TYPE,
  type Media,
  nameFor,
  operationIdOf,
  type Response,
  type RouteFacts,
  type Shared,
} from './parts.js';

/** An answer in several media types, as a route declares it. */
interface DeclaredContent {
  description?: string;
  content?: Record<string, { schema: z.ZodType }>;
}

const HEADERS = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };

/** Returns the answers that a route's own schema declares, with the failures that any route may answer. */
export function responsesOf(route: RouteFacts, shared: Shared): Record<string, Response | { $ref: string }> {
  const own = (route.schema.response ?? {}) as Record<string, unknown>;
  const common = commonFailures(route);
  const declared = Object.entries(own).map(([status, schema]) => {
    const response = responseOf(status, schema, route, shared);
    const also = common[Number(status)];
    if (!also) return [status, response];
    const codes = [...new Set([...codesOf(schema), ...also.codes])];
    const failure = withReason(schema, `${response.description}; or ${also.reason}`, codes);
    return [status, responseOf(status, failure, route, shared)];
  });
  const failures = Object.entries(common)
    .filter(([status]) => own[status] === undefined)
    .map(([status, { name, reason, codes }]) => {
      shared.responses[name] ??= responseOf(status, failureBody(reason, codes), route, shared);
      return [status, { $ref: `#/components/responses/${name}` }];
    });
  return Object.fromEntries([...declared, ...failures]);
}

/** Returns the body of a route's own failure, with its fields, whose status any route may answer for another reason, too. */
function withReason(schema: unknown, description: string, codes: readonly ErrorCode[]): z.ZodType {
  const hasFields = schema instanceof z.ZodObject && Object.keys(schema.shape).length > FIELDS;
  return hasFields ? schema.meta({ description, codes }) : failureBody(description, codes);
}

/** Fields that every failure may have. */
const FIELDS = Object.keys(ErrorBody.shape).length;

/**
 * Describes one answer. A zod schema means JSON, and `z.void()` no body; other types are declared as `{content: {type:
 * {schema}}}`.
 */
function responseOf(status: string, declared: unknown, route: RouteFacts, shared: Shared): Response {
  const { description, content = {} } =
    declared instanceof z.ZodType ? ofJson(declared, route, shared) : (declared as DeclaredContent);
  const media = Object.entries(content).map(([type, { schema }]) => [
    type,
    mediaOf({ status, type, schema }, route, shared),
  ]);
  return {
    description: description ?? STATUS_CODES[status] ?? status,
    ...(media.length > 0 && { content: Object.fromEntries(media) }),
    headers: HEADERS,
  };
}

function ofJson(schema: z.ZodType, route: RouteFacts, { converter }: Shared): DeclaredContent {
  const { schema: converted, isOptional } = converter.convert(schema, 'output', operationIdOf(route));
  const types = isOptional ? [] : (route.schema.produces ?? [JSON_TYPE]);
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  return { ...(converted.description !== undefined && { description: converted.description }), content };
}

interface Answered {
  status: string;
  type: string;
  schema: z.ZodType;
}

function mediaOf({ status, type, schema }: Answered, route: RouteFacts, shared: Shared): Media {
  const { converter, examples } = shared;
  const operationId = operationIdOf(route);
  const {
    description: _ofResponse,
    codes: _asExamples,
    ...inline
  } = converter.convert(schema, 'output', operationId).schema;
  const name = nameFor(route, status === '200' ? 'Answer' : `Answer${status}`);
  const codes = codesOf(schema);
  return {
    schema: type === JSON_TYPE ? converter.named(inline, name) : inline,
    ...(codes.length > 0 && { examples: examples.failures(codes) }),
    ...examples.answer(operationId, type === JSON_TYPE ? status : `${status} ${type}`),
  };
}

/** Returns the codes of a failure, as {@link failureBody} notes them. */
function codesOf(declared: unknown): readonly ErrorCode[] {
  if (!(declared instanceof z.ZodType)) return [];
  return (declared.meta()?.codes ?? []) as readonly ErrorCode[];
}
