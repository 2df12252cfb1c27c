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

/** Gives a route's handler the types of its zod schemas. */
export interface ZodTypeProvider extends FastifyTypeProvider {
  validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown;
  serializer: this['schema'] extends z.ZodType ? z.input<this['schema']> : unknown;
}

/** The Fastify instance of the gateway: what a route file registers itself on. */
export type App = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/**
 * Whether the data itself kept a schema from looking at it. zod measures whatever has a `length`, whatever that
 * is: `{"length": [{"toString": 1}]}` in place of a text throws. And recursive data may be deeper than the stack.
 */
function isUnreadable(error: unknown): boolean {
  if (error instanceof RangeError) return error.message === 'Maximum call stack size exceeded';
  return error instanceof TypeError && error.message === 'Cannot convert object to primitive value';
}

/** Some faults that a schema finds have a name of their own, which their message tells. */
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

/** Answers are JSON as they are: the compiler holds them against their schemas, the tests hold them again. */
export const serializerCompiler: FastifySerializerCompiler<z.ZodType> = () => (data: unknown) =>
  JSON.stringify(data);
