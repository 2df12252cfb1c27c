import { setImmediate } from 'node:timers/promises';
import type { FastifySchema, RouteOptions } from 'fastify';
import { DOCUMENT_SLICE_MS } from '../../contract/limits.js';
import { Examples, readExamples } from './examples.js';
import { type JsonSchema, SchemaConverter } from './json-schema.js';
import { type Operation, operationOf } from './operation.js';
import type { Shared } from './parts.js';

/** The operations of the API's document, each made from the schemas of its route. */
export class Operations {
  readonly #routes: RouteOptions[] = [];
  readonly #made = new Map<RouteOptions, Operation>();
  #shared: Shared | undefined;

  add(route: RouteOptions): void {
    this.#routes.push(route);
  }

  /** Makes all operations. That takes a third of a second, so other work gets the thread every DOCUMENT_SLICE_MS. */
  async make(): Promise<void> {
    let end = performance.now() + DOCUMENT_SLICE_MS;
    for (const route of this.#routes) {
      if (route.method !== 'HEAD') this.of(route);
      if (performance.now() < end) continue;
      await setImmediate();
      end = performance.now() + DOCUMENT_SLICE_MS;
    }
  }

  /** Returns the operation of a route; undefined for a route that the document does not show. */
  of(route: RouteOptions): Operation | undefined {
    const schema: FastifySchema = route.schema ?? {};
    if (schema.hide) return undefined;
    const made = this.#made.get(route) ?? this.#operationOf(route, schema);
    this.#made.set(route, made);
    return made;
  }

  /** The document's `components`, as far as the operations that have been made refer to them. */
  get components(): { schemas: Record<string, JsonSchema>; responses: object; examples: object } {
    const { converter, examples, responses } = this.#parts;
    return { schemas: converter.components, responses, examples: examples.components };
  }

  #operationOf(route: RouteOptions, schema: FastifySchema): Operation {
    const [method = 'GET'] = [route.method].flat();
    return operationOf({ method, url: route.url, schema, access: route.config?.access }, this.#parts);
  }

  /** Created at the first request for the document, so that reading the examples does not slow the start. */
  get #parts(): Shared {
    this.#shared ??= {
      converter: new SchemaConverter(),
      examples: new Examples(readExamples()),
      responses: {},
    };
    return this.#shared;
  }
}
