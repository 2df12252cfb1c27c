import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { DomainError, ERRORS, type ErrorCode } from '../../contract/errors.js';
import { bodyOf } from '../errors.js';

/** The file is beside the sources, since the compiler copies no JSON; package.json lists it. */
const FILE = fileURLToPath(new URL('../../../../src/gateway/openapi/examples.json', import.meta.url));

const OperationExample = z.object({
  /** Parameters of path, query and headers, by name. */
  parameters: z.record(z.string(), z.unknown()).optional(),
  /** Body of the request. */
  body: z.unknown().optional(),
  /** By status, such as `200`; with the media type if that is not JSON, such as `200 text/plain`. */
  answers: z.record(z.string(), z.unknown()),
});
export type OperationExample = z.infer<typeof OperationExample>;

/** The file that `npm run examples` writes: requests as the tests send them, and the answers of the service. */
const ExampleBook = z.object({
  /** By `operationId`. */
  operations: z.record(z.string(), OperationExample),
  /** By code of the catalogue: failures that the service was made to answer. */
  failures: z.record(z.string(), z.looseObject({ error: z.string(), code: z.string() })),
});
export type ExampleBook = z.infer<typeof ExampleBook>;

/** Examples of failures, by their codes. */
export type FailureExamples = Record<string, { $ref: string }>;

/** Reads the examples. Throws if the file is missing or not valid. */
export function readExamples(): ExampleBook {
  return ExampleBook.parse(JSON.parse(readFileSync(FILE, 'utf8')));
}

/** Examples for the operations of one document. */
export class Examples {
  /** The document's `components.examples`: an example for each code of failure that an operation names. */
  readonly components: Record<string, { summary: string; value: object }> = {};
  readonly #book: ExampleBook;

  constructor(book: ExampleBook) {
    this.#book = book;
  }

  /** Returns the keyword that belongs beside the schema of a parameter. */
  parameter(operationId: string, name: string): { example?: unknown } {
    const { parameters = {} } = this.#of(operationId);
    return Object.hasOwn(parameters, name) ? { example: parameters[name] } : {};
  }

  /** Returns the keyword that belongs beside the schema of the request's body. */
  body(operationId: string): { example?: unknown } {
    const { body } = this.#of(operationId);
    return body === undefined ? {} : { example: body };
  }

  /** Returns the keyword that belongs beside the schema of an answer; `key` as in {@link OperationExample}. */
  answer(operationId: string, key: string): { example?: unknown } {
    const { answers } = this.#of(operationId);
    return Object.hasOwn(answers, key) ? { example: answers[key] } : {};
  }

  /** Returns references to an example of each code of failure. */
  failures(codes: readonly ErrorCode[]): FailureExamples {
    for (const code of codes) {
      const value = this.#book.failures[code] ?? bodyOf(new DomainError(code));
      this.components[code] = { summary: ERRORS[code].message, value };
    }
    return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  }

  #of(operationId: string): OperationExample {
    return this.#book.operations[operationId] ?? { answers: {} };
  }
}
