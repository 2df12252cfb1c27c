import type { OperationExample } from '#dist/gateway/openapi/examples.js';
import { answerOf, Conformance, type OpenApiDocument, type OpenApiOperation } from '../conformance.js';
import { differences } from './shape.js';

/** Whether an example can show content of this type: a picture cannot be an example. */
export const isShown = (type: string) => type === 'application/json' || type.startsWith('text/');

/** Returns the key of an operation's example answer of this status and type. */
export const keyOf = (status: string, type: string) =>
  type === 'application/json' ? status : `${status} ${type}`;

/** Returns the operations of a document, by method and path. */
export function operationsOf({ paths }: OpenApiDocument): Map<string, OpenApiOperation> {
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  );
}

/** Checks examples against a document and against the tour of its service. */
export class ExampleCheck {
  readonly #document: OpenApiDocument;
  readonly #conformance: Conformance;

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#conformance = new Conformance(document);
  }

  /** Returns the faults of one operation's example, a line each; `seen` is the tour's request and answer. */
  faults(operation: OpenApiOperation, kept: OperationExample, seen: OperationExample): string[] {
    const keys = new Set([...Object.keys(kept.answers), ...Object.keys(seen.answers)]);
    return [
      ...requestFaults(kept, seen),
      ...this.#faultsOfRequest(operation, kept),
      ...this.#faultsOfAnswers(operation, kept),
      ...[...keys].flatMap((key) => answerFaults(key, kept.answers, seen.answers)),
    ];
  }

  #faultsOfRequest({ parameters = [], requestBody }: OpenApiOperation, kept: OperationExample): string[] {
    const values = kept.parameters ?? {};
    const ofParameters = parameters.flatMap(({ name, required, schema }) => {
      if (!Object.hasOwn(values, name)) return required ? [`${name} has no example`] : [];
      return this.#conformance.faults(schema, values[name]).map((fault) => `${name}: ${fault}`);
    });
    const known = new Set(parameters.map(({ name }) => name));
    const unknown = Object.keys(values).filter((name) => !known.has(name));
    return [
      ...ofParameters,
      ...unknown.map((name) => `${name} is no parameter`),
      ...this.#faultsOfBody(requestBody, kept),
    ];
  }

  #faultsOfBody(requestBody: OpenApiOperation['requestBody'], { body }: OperationExample): string[] {
    const schema = requestBody?.content['application/json']?.schema;
    if (!schema) return body === undefined ? [] : ['the operation takes no body'];
    if (body === undefined) return ['its body has no example'];
    return this.#conformance.faults(schema, body).map((fault) => `body: ${fault}`);
  }

  #faultsOfAnswers({ responses }: OpenApiOperation, { answers }: OperationExample): string[] {
    return Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([status, found]) =>
        Object.entries(answerOf(this.#document, found).content ?? {}).map(([type, media]) => ({
          key: keyOf(status, type),
          type,
          media,
        })),
      )
      .filter(({ type }) => isShown(type))
      .flatMap(({ key, media }) => {
        if (!Object.hasOwn(answers, key)) return [`${key} has no example`];
        return this.#conformance.faults(media.schema, answers[key]).map((fault) => `${key}: ${fault}`);
      });
  }
}

function requestFaults(kept: OperationExample, seen: OperationExample): string[] {
  const [one, other] = [kept, seen].map(({ parameters, body }) => JSON.stringify({ parameters, body }));
  return one === other ? [] : [`its request is ${one}, and the tour sends ${other}`];
}

function answerFaults(key: string, kept: Record<string, unknown>, seen: Record<string, unknown>): string[] {
  if (!Object.hasOwn(seen, key)) return [`${key} was not answered`];
  if (!Object.hasOwn(kept, key)) return [`${key} was answered, and has no example`];
  return differences(seen[key], kept[key]).map((difference) => `${key}: ${difference}`);
}
