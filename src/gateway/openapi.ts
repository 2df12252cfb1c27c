import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { z } from 'zod';
import { needs } from './access/needs.js';
import { DocumentBytes } from './openapi/document-bytes.js';
import type { Operation } from './openapi/operation.js';
import { Operations } from './openapi/operations.js';
import { overview } from './openapi/overview.js';
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
  const all = new Operations();
  app.addHook('onRoute', (route) => all.add(route));
  const bytes = new DocumentBytes(async () => {
    await all.make();
    return app.swagger();
  });
  app.register(swagger, {
    openapi: overview,
    transform: ({ schema, url, route }) => {
      const operation = all.of(route);
      return { url, schema: operation ? { tags: operation.tags, [OPERATION]: operation } : (schema ?? {}) };
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
      const components = { ...openapiObject.components, ...all.components };
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
      async (request, reply) => void (await bytes.send(request, reply)),
    );
  });
}
