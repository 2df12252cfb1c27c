import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  answerOf,
  Conformance,
  type OpenApiDocument,
  type OpenApiOperation,
} from '../support/conformance.js';
import { type Api, createApi } from '../support/http.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
let api: Api;
let document: OpenApiDocument;

beforeAll(async () => {
  service = await sharedService();
  api = createApi(service.url);
  document = (await api.get<OpenApiDocument>('/openapi.json')).body;
});
afterAll(() => service?.stop());

/** `GET /path` and the operation, of every route. */
function operations(): [string, OpenApiOperation][] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, OpenApiOperation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

/** All values of a key, at any depth. */
function valuesOf(key: string, json: unknown): unknown[] {
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesOf(key, value),
  ]);
}

interface Shape {
  $ref?: string;
  anyOf?: Shape[];
  properties?: Record<string, { type?: string }>;
  required?: string[];
}

/** The alternatives of a schema. */
function shapesOf(schema: Shape = {}): Shape[] {
  const [, name = ''] = /^#\/components\/schemas\/(.*)$/.exec(schema.$ref ?? '') ?? [];
  if (name !== '' && name !== 'Error') return shapesOf(document.components.schemas[name] as Shape);
  return schema.anyOf ?? [schema];
}

/** Whether the schema is `{error: string}`, perhaps with more fields. */
function isFailure({ $ref, properties, required = [] }: Shape): boolean {
  if ($ref !== undefined) return $ref === '#/components/schemas/Error';
  return properties?.error?.type === 'string' && required.includes('error');
}

describe('GET /openapi.json', () => {
  test('is OpenAPI 3.1 of this version', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'auto-terminal', version: '0.1.0' } });
    expect(Object.keys(document.components.securitySchemes)).toContain('bearer');
  });

  test('has every route with summary, tags and the schema of its answer', () => {
    expect(operations().length).toBeGreaterThan(15);
    const known = new Set(document.tags.map(({ name }) => name));
    const wanting = operations().filter(([, { summary, tags = [], responses }]) => {
      const successes = Object.entries(responses).filter(([status]) => Number(status) < 300);
      const answered = successes.every(
        ([status, found]) =>
          ['101', '204'].includes(status) || answerOf(document, found).content !== undefined,
      );
      const isTagged = tags.length > 0 && tags.every((tag) => known.has(tag));
      return !summary || !isTagged || successes.length === 0 || !answered;
    });
    expect(wanting.map(([name]) => name)).toEqual([]);
  });

  test('has every failure as {error: string}', () => {
    for (const [name, { responses }] of operations()) {
      const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      expect([name, failures.length]).toEqual([name, expect.any(Number)]);
      for (const [, found] of failures) {
        const { content } = answerOf(document, found);
        expect([name, Object.keys(content ?? {})]).toEqual([name, ['application/json']]);
        const schemas = shapesOf(content?.['application/json']?.schema);
        expect([name, schemas.every(isFailure)]).toEqual([name, true]);
      }
    }
    expect(document.components.schemas.Error).toMatchObject({
      properties: { error: { type: 'string' }, code: { type: 'string' } },
      required: ['error', 'code'],
    });
  });

  test('has a name for each JSON body and answer', () => {
    const schemas = operations().flatMap(([name, { requestBody, responses }]) =>
      [requestBody, ...Object.values(responses).map((found) => answerOf(document, found))].map(
        (part): [string, Shape | undefined] => [name, part?.content?.['application/json']?.schema],
      ),
    );
    const inline = schemas.filter(([, schema = {}]) => Object.keys(schema).length > 0 && !schema.$ref);
    expect(inline).toEqual([]);
  });

  test('declares each parameter of a path, and names each operation once', () => {
    const ids = operations().map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [name, { parameters = [] }] of operations()) {
      const declared = parameters.filter((parameter) => parameter.in === 'path').map((each) => each.name);
      expect([name, ...declared]).toEqual([name, ...[...name.matchAll(/\{(\w+)\}/g)].map(([, id]) => id)]);
    }
  });

  test('has everything it refers to', () => {
    const references = new Set(valuesOf('$ref', document));
    expect(references.size).toBeGreaterThan(3);
    for (const reference of references) {
      const target = String(reference)
        .replace(/^#\//, '')
        .split('/')
        .reduce<unknown>((json, key) => (json as Record<string, unknown> | undefined)?.[key], document);
      expect([reference, target]).toEqual([reference, expect.anything()]);
    }
  });

  test('describes the WebSocket with its query', () => {
    for (const path of ['/ws', '/api/ws']) {
      const { responses, parameters = [] } = document.paths[path]!.get!;
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['101', '400', '426']));
      expect(parameters.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['terminals', 'events', 'seq']),
      );
    }
  });

  test('is sent once to a client that shows its ETag', async () => {
    for (const path of ['/openapi.json', '/docs/json']) {
      const { headers, body } = await api.raw({ path });
      const etag = String(headers.etag);
      expect([etag, JSON.parse(body)]).toEqual([expect.stringMatching(/^"[\w-]{22}"$/), document]);
      for (const shown of [etag, `W/${etag}`, `"another", ${etag}`, '*']) {
        const again = await api.raw({ path, headers: { 'if-none-match': shown } });
        expect([again.status, again.body, again.headers.etag]).toEqual([304, '', etag]);
      }
      expect((await api.raw({ path, headers: { 'if-none-match': '"another"' } })).status).toBe(200);
    }
  });

  test('is behind the guard, like everything', async () => {
    for (const path of ['/openapi.json', '/docs', '/docs/json']) {
      expect((await api.raw({ path, headers: { host: 'evil.example' } })).status).toBe(403);
    }
  });
});

describe('answers are checked against the document', () => {
  const answer = { method: 'GET', path: '/health', status: 200, contentType: 'application/json', body: '' };
  const health = { status: 'ok', app: 'auto-terminal', instanceId: 'i', version: '0.1.0' };
  const check = (changed: Partial<typeof answer>) => () =>
    new Conformance(document).check({ ...answer, ...changed });

  test('a documented answer passes', () => {
    expect(check({ body: JSON.stringify(health) })).not.toThrow();
  });

  test.each([
    ['a missing field', { body: '{"status":"ok"}' }, /required property 'app'/],
    ['a field that is not documented', { body: JSON.stringify({ ...health, more: 1 }) }, /additional prop/],
    ['a wrong type', { body: JSON.stringify({ ...health, version: 1 }) }, /\/version must be string/],
    ['a status that is not documented', { status: 418, body: '{}' }, /no documented status 418/],
    ['a content type that is not documented', { contentType: 'text/html' }, /none of application\/json/],
    ['a route that is not documented', { path: '/api/nothing', body: '{}' }, /no documented route/],
  ])('%s fails', (_name, changed, message) => {
    expect(check(changed)).toThrow(message);
  });
});

describe('/docs', () => {
  test('is a page that loads only from this service, and sends nothing', async () => {
    const page = await api.get<string>('/docs');
    expect(page.status).toBe(200);
    const urls = [...page.body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url!);
    expect(urls.length).toBeGreaterThan(3);
    for (const url of urls) {
      expect(url).toMatch(/^\/docs\/static\/[\w.-]+$/);
      expect((await api.raw({ path: url })).status).toBe(200);
    }
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|\*/);
    const script = (await api.raw({ path: '/docs/static/swagger-initializer.js' })).body;
    expect(script).toMatch(/"?supportedSubmitMethods"?: ?\[\]/);
  });

  test('shows this document', async () => {
    expect((await api.get('/docs/json')).body).toEqual(document);
  });
});
