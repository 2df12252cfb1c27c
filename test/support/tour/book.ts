import { writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { DomainError, type ErrorCode } from '#dist/contract/errors.js';
import { bodyOf } from '#dist/gateway/errors.js';
import type { ExampleBook } from '#dist/gateway/openapi/examples.js';
import { ExampleCheck, operationsOf } from './check.js';
import type { Toured } from './whole-tour.js';

const FILE = new URL('../../../src/gateway/openapi/examples.json', import.meta.url);

/** Writes all examples to their file; examples that are still valid stay unchanged. */
export async function writeBook({ document, seen, failures }: Toured, earlier: ExampleBook): Promise<void> {
  const check = new ExampleCheck(document);
  const book: ExampleBook = { operations: {}, failures: {} };
  for (const [name, operation] of operationsOf(document)) {
    const fresh = seen.get(name);
    if (!fresh) continue;
    const kept = earlier.operations[operation.operationId];
    const holds = kept && check.faults(operation, kept, fresh).length === 0;
    book.operations[operation.operationId] = holds ? kept : fresh;
  }
  for (const { body } of failures) {
    const usual = bodyOf(new DomainError(body.code as ErrorCode));
    if (!isDeepStrictEqual(usual, body)) book.failures[body.code] ??= { ...body };
  }
  await writeFile(FILE, `${JSON.stringify(book, null, 2)}\n`);
}
