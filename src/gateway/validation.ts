import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifySchemaCompiler,
  FastifySerializerCompiler,
  FastifyTypeProvider,
} from 'fastify';
import type { z } from 'zod';
import { describeIssues } from '../contract/describe-issues.js';
import { DomainError, ERRORS, type ErrorCode } from '../contract/errors.js';

/** Types a route's handler by its zod schemas. */
export interface ZodTypeProvider extends FastifyTypeProvider {
  validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown;
  serializer: this['schema'] extends z.ZodType ? z.input<this['schema']> : unknown;
}

/** The Fastify instance of the gateway, on which route files register themselves. */
export type App = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/**
 * Returns whether the data itself made a schema throw. zod measures anything that has a `length`, whatever type that
 * is: `{"length": [{"toString": 1}]}` in place of a text throws. And recursive data may be deeper than the stack.
 */
function isUnreadable(error: unknown): boolean {
  if (error instanceof RangeError) return error.message === 'Maximum call stack size exceeded';
  return error instanceof TypeError && error.message === 'Cannot convert object to primitive value';
}

/** Returns the code of the fault whose catalogue message this is, if a schema reported that; else invalid-request. */
function codeOf(message: string): ErrorCode {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const named = codes.find((code) => ERRORS[code].status === 400 && ERRORS[code].message === message);
  return named ?? 'invalid-request';
}

function parse(schema: z.ZodType, data: unknown, part: string): { value: unknown } | { error: DomainError } {
  try {
    const parsed = schema.safeParse(data);
    if (parsed.success) return { value: parsed.data };
    const message = describeIssues(parsed.error, part);
    return { error: new DomainError(codeOf(message), message) };
  } catch (cause) {
    if (!isUnreadable(cause)) throw cause;
    return { error: new DomainError('invalid-request', `${part}: cannot be read`, { cause }) };
  }
}

/** Validates each part of a request by its zod schema; Fastify passes an absent body as null. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const part = httpPart === 'querystring' ? 'query' : (httpPart ?? 'request');
  return (data: unknown) => parse(schema, data ?? undefined, part);
};

/** Serializes answers without validation: the compiler checks them against their schemas, and the tests check again. */
export const serializerCompiler: FastifySerializerCompiler<z.ZodType> = () => (data: unknown) =>
  JSON.stringify(data);
