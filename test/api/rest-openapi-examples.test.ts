import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { WireBody } from '#dist/gateway/errors.js';
import { type ExampleBook, readExamples } from '#dist/gateway/openapi/examples.js';
import { answerOf, Conformance } from '../support/conformance.js';
import { writeBook } from '../support/tour/book.js';
import { ExampleCheck, isShown, keyOf, operationsOf } from '../support/tour/check.js';
import { differences } from '../support/tour/shape.js';
import { type Toured, takeTour } from '../support/tour/whole-tour.js';

/** Set by `npm run examples`, which rewrites the file in place of comparing it with the tour. */
const isWriting = process.env.AUTO_TERMINAL_WRITE_EXAMPLES === '1';

/** Operations that an example would not explain: the document itself, and upgrades. */
const WITHOUT = new Set(['GET /openapi.json', 'GET /ws', 'GET /api/ws']);

/** Failures that need more than a request of an HTTP client: their examples use the catalogue's texts. */
const NOT_PROVOKED = [
  'agent-busy',
  'agent-waiting',
  'ambiguous-target',
  'config-file-broken',
  'config-file-not-written',
  'fleet-failed',
  'fleet-outcome-unknown',
  'fleet-protocol',
  'fleet-refused',
  'forbidden',
  'grant-not-found',
  'host-not-one',
  'hub-unreachable',
  'in-fleet',
  'internal',
  'invite-refused',
  'machine-not-found',
  'machine-unreachable',
  'no-nats-server',
  'not-granted',
  'not-hub',
  'other-user',
  'outcome-unknown',
  'outside-scope',
  'port-taken',
  'prompt-not-queued',
  'request-not-found',
  'request-timeout',
  'resized-meanwhile',
  'search-not-cleared',
  'shutting-down',
  'spawn-failed',
  'storage-full',
  'tmux-unavailable',
  'token-limit',
  'token-rate',
  'too-many-connections',
  'too-many-grants',
  'too-many-groups',
  'too-many-invites',
  'too-many-profiles',
  'too-many-prompts',
  'too-many-tokens',
  'too-many-tries',
  'too-many-watches',
  'too-many-webhooks',
  'unavailable',
  'verb-missing',
];

let toured: Toured;
let book: ExampleBook;

beforeAll(async () => {
  book = readExamples();
  toured = await takeTour();
  if (isWriting) await writeBook(toured, book);
}, 400_000);

describe.skipIf(isWriting)('the examples of the OpenAPI document', () => {
  test('are of every operation, and of no other', () => {
    const operations = [...operationsOf(toured.document)].filter(([name]) => !WITHOUT.has(name));
    expect(operations.map(([name]) => name).filter((name) => !toured.seen.has(name))).toEqual([]);
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(Object.keys(book.operations).sort()).toEqual(ids.sort());
  });

  test('are actual requests and answers, and both match their schemas', () => {
    const check = new ExampleCheck(toured.document);
    const operations = operationsOf(toured.document);
    const faults = [...toured.seen].flatMap(([name, seen]) => {
      const operation = operations.get(name);
      const kept = operation && book.operations[operation.operationId];
      if (!kept) return [`${name} has no example`];
      return check.faults(operation, kept, seen).map((fault) => `${name}: ${fault}`);
    });
    expect(faults, 'npm run examples writes what no longer holds').toEqual([]);
  });

  test('are part of the package', async () => {
    const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
    expect((JSON.parse(text) as { files: string[] }).files).toContain('src/gateway/openapi/examples.json');
  });

  test('are in the document', () => {
    for (const [name, { operationId, parameters = [], requestBody, responses }] of operationsOf(
      toured.document,
    )) {
      const kept = book.operations[operationId] ?? { answers: {} };
      const shown = parameters.filter((each) => 'example' in each).map((each) => [each.name, each.example]);
      expect([name, Object.fromEntries(shown)]).toEqual([name, kept.parameters ?? {}]);
      expect([name, requestBody?.content['application/json']?.example]).toEqual([name, kept.body]);
      const answers = Object.entries(responses).flatMap(([status, found]) =>
        Object.entries(answerOf(toured.document, found).content ?? {})
          .filter(([, media]) => 'example' in media)
          .map(([type, { example }]) => [keyOf(status, type), example]),
      );
      expect([name, Object.fromEntries(answers)]).toEqual([name, kept.answers]);
    }
  });
});

describe.skipIf(isWriting)('examples of failures', () => {
  test('are of every documented failure, and match its schema', () => {
    const { document } = toured;
    const conformance = new Conformance(document);
    const without: string[] = [];
    for (const [name, { responses }] of operationsOf(document)) {
      for (const [status, found] of Object.entries(responses).filter(([each]) => Number(each) >= 400)) {
        const { schema, examples } = answerOf(document, found).content?.['application/json'] ?? {};
        if (!examples) without.push(`${name} ${status}`);
        for (const code of Object.keys(examples ?? {})) {
          const value = document.components.examples[code]?.value;
          expect([name, value, conformance.faults(schema!, value)]).toEqual([
            name,
            expect.objectContaining({ code }),
            [],
          ]);
        }
      }
    }
    expect(without).toEqual([]);
  });

  test("match the service's answers", () => {
    const operations = operationsOf(toured.document);
    for (const { operation, status, body } of toured.failures) {
      const found = operations.get(operation)!.responses[status]!;
      const { examples = {} } = answerOf(toured.document, found).content!['application/json']!;
      expect([operation, Object.keys(examples)]).toEqual([operation, expect.arrayContaining([body.code])]);
      const value = toured.document.components.examples[body.code]?.value as WireBody;
      // The other fields of some failures depend on the machine.
      const words = ({ error, code, fix }: WireBody) => ({ operation, error, code, fix });
      expect(words(value)).toEqual(words(body));
      expect([operation, differences(body, value)]).toEqual([operation, []]);
    }
    const provoked = new Set(toured.failures.map(({ body }) => body.code));
    const others = Object.keys(toured.document.components.examples).filter((code) => !provoked.has(code));
    expect(others.sort()).toEqual(NOT_PROVOKED);
  });
});

describe('the shape of an answer', () => {
  test.each([
    ['a key that is missing', { a: 1, b: 2 }, { a: 1 }, ['/b is missing in the example']],
    ['a key that is no longer there', { a: 1 }, { a: 1, b: 2 }, ['/b stands in the example only']],
    ['another type', { a: [{ b: 1 }] }, { a: [{ b: '1' }] }, ['/a/*/b is number, and string in the example']],
    ['an object in place of a list', {}, [], ['/ is object, and array in the example']],
  ])('%s is reported', (_name, seen, kept, expected) => {
    expect(differences(seen, kept)).toEqual(expected);
  });

  test.each([
    ['values', { a: 1, b: 'x' }, { a: 2, b: 'y' }],
    ['null', { a: null, b: { c: 1 } }, { a: 1, b: null }],
    ['a list without items', { a: [] }, { a: [{ b: 1 }] }],
    ['keys that some items have', [{ a: 1 }, { b: 1 }], [{ b: 2, a: 2 }]],
  ])('%s may differ', (_name, seen, kept) => {
    expect(differences(seen, kept)).toEqual([]);
  });

  test('pictures have no example', () => {
    expect(['image/png', 'application/json', 'text/plain'].filter(isShown)).toEqual([
      'application/json',
      'text/plain',
    ]);
  });
});
