import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import { needs } from './access/needs.js';
import { DocumentBytes } from './openapi/document-bytes.js';
import { Examples, readExamples } from './openapi/examples.js';
import { SchemaConverter } from './openapi/json-schema.js';
import { type Operation, operationOf } from './openapi/operation.js';
import { overview } from './openapi/overview.js';
import type { Shared } from './openapi/parts.js';
import type { App } from './validation.js';

/** Key under which the plugin passes an operation on unchanged, until the document is assembled. */
const OPERATION = 'x-operation';

/**
 * Content security policy of the page: it loads only its own files and this service's document, and nobody may frame
 * it.
 */
const PAGE_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  // Swagger UI sets styles on single elements.
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

/**
 * Serves `GET /openapi.json`, generated from the schemas of every route registered after this call, and a page that
 * shows the document at `/docs`. The plugin only collects the routes, since its own conversion was written for OpenAPI
 * 3.0: it drops keywords beside a `$ref`, and marks every body as required.
 */
export function registerOpenApi(app: App): void {
  let shared: Shared | undefined;
  const bytes = new DocumentBytes(() => app.swagger());
  app.register(swagger, {
    openapi: overview,
    transform: ({ schema, url, route }) => {
      const routeSchema: FastifySchema = schema ?? {};
      if (routeSchema.hide) return { url, schema: routeSchema };
      const [method = 'GET'] = [route.method].flat();
      // Created at the first request for the document, so that reading the examples does not slow the start.
      shared ??= { converter: new SchemaConverter(), examples: new Examples(readExamples()), responses: {} };
      const operation = operationOf(
        { method, url, schema: routeSchema, access: route.config?.access },
        shared,
      );
      return { url, schema: { tags: operation.tags, [OPERATION]: operation } };
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new Error('swagger did not make an OpenAPI document');
      const { openapiObject } = document;
      const paths = (openapiObject.paths ?? {}) as Record<string, Record<string, Record<string, unknown>>>;
      for (const operations of Object.values(paths)) {
        for (const [method, made] of Object.entries(operations)) {
          operations[method] = made[OPERATION] as Operation & Record<string, unknown>;
        }
      }
      if (!shared) throw new Error('swagger asked for the document before its operations');
      const { converter, examples, responses } = shared;
      const made = { schemas: converter.components, responses, examples: examples.components };
      const components = { ...openapiObject.components, ...made };
      return { ...openapiObject, components } as typeof openapiObject;
    },
  });
  app.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title: 'auto-terminal API' },
    staticCSP: PAGE_POLICY,
    uiHooks: {
      // The plugin would serialize the document again for each request.
      onRequest: async (request, reply) => {
        if (request.routeOptions.url === '/docs/json') return bytes.send(request, reply);
        return undefined;
      },
    },
    uiConfig: {
      // Without the bar on top, which can load documents from anywhere.
      layout: 'BaseLayout',
      supportedSubmitMethods: [],
      defaultModelsExpandDepth: 0,
      validatorUrl: null,
    },
  });
  app.register(async (routes: App) => {
    routes.get(
      '/openapi.json',
      {
        config: needs([], 'none'),
        schema: {
          summary: 'Get this document',
          description:
            'OpenAPI 3.1, generated from the schemas by which the routes validate requests. `/docs` shows ' +
            'it as a page.',
          tags: ['Documentation'],
          headers: z.looseObject({
            'if-none-match': z.string().optional().describe('The `ETag` of an earlier answer'),
          }),
          response: {
            200: z.record(z.string(), z.unknown()).describe('The document'),
            304: z.void().describe('The document has not changed since that `ETag`'),
          },
        },
      },
      (request, reply) => void bytes.send(request, reply),
    );
  });
}
