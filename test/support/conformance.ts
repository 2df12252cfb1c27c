import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** The parts of an OpenAPI document that the tests read. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: {
    schemas: Record<string, object>;
    securitySchemes: Record<string, object>;
    responses: Record<string, DocumentedAnswer>;
    examples: Record<string, { value: unknown }>;
  };
}

/** The content of a request or response body in one media type. */
interface Media {
  schema: object;
  example?: unknown;
  examples?: Record<string, { $ref: string }>;
}

interface DocumentedAnswer {
  description: string;
  content?: Record<string, Media>;
}

export interface OpenApiOperation {
  operationId: string;
  summary?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required: boolean; schema: object; example?: unknown }[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, DocumentedAnswer | { $ref: string }>;
}

/** An answer as it came over the wire. */
export interface WireAnswer {
  method: string;
  /** Path with its query. */
  path: string;
  status: number;
  contentType: string;
  body: string;
}

/** The documented answer of an operation, which may be a reference to the components. */
export function answerOf(
  { components }: OpenApiDocument,
  found: DocumentedAnswer | { $ref: string },
): DocumentedAnswer {
  if (!('$ref' in found)) return found;
  const shared = components.responses[found.$ref.replace('#/components/responses/', '')];
  if (!shared) throw new Error(`the document has no ${found.$ref}`);
  return shared;
}

/** Pages and files for people, which the document does not describe. */
const PAGES = /^\/docs(\/|$)/;

/** Validators of the answers that each operation of one document may give. */
export class Conformance {
  readonly document: OpenApiDocument;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #templates: { template: string; pattern: RegExp }[];
  readonly #validators = new Map<object, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.document = document;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document, 'document');
    this.#templates = Object.keys(document.paths)
      .map((template) => ({ template, pattern: patternOf(template) }))
      // Like a router: literal paths come before parameters.
      .sort((one, other) => (sortKey(one.template) < sortKey(other.template) ? -1 : 1));
  }

  /** The documented path that matches a request's path. */
  templateOf(path: string): string | undefined {
    const [pathname = ''] = path.split('?', 1).map((each) => each.replace(/(?<=.)\/$/, ''));
    return this.#templates.find(({ pattern }) => pattern.test(pathname))?.template;
  }

  /** Throws if the answer does not match the document. Answers for unknown routes must be 404s. */
  check(answer: WireAnswer): void {
    const { method, path, status, contentType } = answer;
    if (['OPTIONS', 'HEAD'].includes(method) || PAGES.test(path)) return;
    const template = this.templateOf(path);
    const operation = template && this.document.paths[template]?.[method.toLowerCase()];
    if (!template || !operation) {
      if (status < 400) throw mismatch(answer, 'it is no documented route, and is answered');
      return;
    }
    const documented = operation.responses[status];
    if (!documented) throw mismatch(answer, `${method} ${template} has no documented status ${status}`);
    const response = answerOf(this.document, documented);
    if (!response.content) {
      if (answer.body !== '') throw mismatch(answer, 'it is documented to have no body');
      return;
    }
    const [type = ''] = contentType.split(';', 1);
    const types = Object.entries(response.content);
    const [, media] = types.find(([each]) => each.split(';', 1)[0] === type) ?? [];
    if (!media) throw mismatch(answer, `its type is none of ${Object.keys(response.content).join(', ')}`);
    if (type !== 'application/json') return;
    // The empty schema allows anything: an asciicast has this type, but its lines together are not JSON.
    if (Object.keys(media.schema).length === 0) return;
    const faults = this.faults(media.schema, JSON.parse(answer.body));
    if (faults.length > 0) throw mismatch(answer, faults.join('\n  '));
  }

  /** Returns where a value does not match a schema of the document; `schema` is the document's own object. */
  faults(schema: object, value: unknown): string[] {
    let validate = this.#validators.get(schema);
    if (!validate) {
      validate = this.#ajv.compile(absolute(schema));
      this.#validators.set(schema, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`,
    );
  }
}

/** The schema with its references pointing into the document. */
function absolute(schema: object): object {
  const text = JSON.stringify(schema, (key, value) =>
    key === '$ref' && typeof value === 'string' ? value.replace(/^#/, 'document#') : value,
  );
  return JSON.parse(text);
}

function mismatch({ method, path, status, body }: WireAnswer, reason: string): Error {
  return new Error(
    `${method} ${path.slice(0, 200)} answered ${status}, not as documented:\n  ${reason}\n  ${body.slice(0, 1_000)}`,
  );
}

function patternOf(template: string): RegExp {
  const literal = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/\{[^}]+\}/g, '[^/]+')}$`);
}

function sortKey(template: string): string {
  return template.replace(/\{[^}]+\}/g, '\uffff');
}

const { AUTO_TERMINAL_TEST_RUN: RUN } = process.env;
/** File with the document; undefined outside of a test run. */
const KEPT = RUN === undefined ? undefined : join(RUN, 'openapi.json');

/** Compiled once for all test files that share their modules. */
let known: Promise<Conformance | undefined> | undefined;

/**
 * Resolves with the document of this build, which all its services serve. The first service of a test run is asked, and
 * the answer is kept in the run's folder: a service takes half a second to make the document. Outside of a test run, as in
 * a benchmark, nothing is kept. Resolves with undefined if no document is kept yet and the service at `url` refuses it, as
 * it does in exposed mode to a client without a token.
 */
export async function conformanceOf(
  url: string,
  headers: Record<string, string>,
): Promise<Conformance | undefined> {
  const asked = known ?? compiled(url, headers);
  known = asked;
  const conformance = await asked.catch(() => undefined);
  if (!conformance) known = undefined;
  return asked;
}

async function compiled(url: string, headers: Record<string, string>): Promise<Conformance | undefined> {
  const text = (await keptDocument()) ?? (await fetchedDocument(url, headers));
  return text === undefined ? undefined : new Conformance(JSON.parse(text) as OpenApiDocument);
}

async function keptDocument(): Promise<string | undefined> {
  if (KEPT === undefined) return undefined;
  try {
    return await readFile(KEPT, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function fetchedDocument(url: string, headers: Record<string, string>): Promise<string | undefined> {
  const response = await fetch(`${url}/openapi.json`, { headers });
  if (response.status === 401) return undefined;
  if (response.status !== 200) throw new Error(`GET /openapi.json answered ${response.status}`);
  const text = await response.text();
  if (KEPT === undefined) return text;
  // Renamed, since other test files may read the document at this moment.
  const written = `${KEPT}.${process.pid}`;
  await writeFile(written, text);
  await rename(written, KEPT);
  return text;
}
