import type { OpenApiDocument, OpenApiOperation } from '../conformance.js';
import type { RawRequest } from '../http.js';
import { Raw, writeJson } from './json.js';
import type { Random } from './random.js';
import type { JsonSchema, Resolve } from './schema.js';
import { fitting, oddKey, oddText, oddValue, word } from './values.js';

/** One route of the document. */
export interface Route {
  method: string;
  template: string;
  operation: OpenApiOperation;
}

export function routesOf(document: OpenApiDocument): Route[] {
  return Object.entries(document.paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      template,
      operation,
    })),
  );
}

/** Path parameters that a hostile or careless client may send. */
const ODD_SEGMENTS = [
  ...['%00', '%', '%f', '%ff', '%zz', '%2f', '..%2f..%2fetc%2fpasswd', '%2e%2e', '.', '%20', '%0d%0aX:%20y'],
  ...['%F0%9F%99%82', '%ED%A0%80', '%C0%80', '%E2%80%AE', '__proto__', 'constructor', '{id}', ':id', '*'],
  ...['a;b=c', 'a%3Fb', 'a%23b', '-1', '0', 'null', 'term_000000000000', 'x'.repeat(6_000)],
];

const ODD_QUERIES = [
  ...['', '&&&', '===', '%', '%zz=%ff', '=x', 'a[b]=c', 'a[]=1&a[]=2', '__proto__=1', '__proto__[x]=1'],
  ...['constructor[prototype][x]=1', '?', 'x=%00', `x=${'y'.repeat(4_000)}`, 'a=1&'.repeat(400)],
];

const ODD_BODIES = [
  ...[
    '{',
    '[',
    '"',
    'nul',
    '{"a":}',
    '{a:1}',
    "{'a':1}",
    '{"a":1}}',
    '[1,]',
    '\ufeff{}',
    '"\\ud800"',
    '\u0001',
    '',
  ],
  ...['1', '"text"', 'null', 'true', '[]', '{}', '{"__proto__":{"x":1}}', '{"constructor":{"prototype":{}}}'],
];

/** Matches routes that close the terminal that their body names. */
const CLOSING = /\/close$/;

/** Makes settings invalid by an unknown field: a real change would move the service's port, or expose it. */
function neverMeant(value: unknown, template: string): unknown {
  if (template !== '/api/settings' || !(value instanceof Map)) return value;
  return new Map([...value, ['notASetting', 1]]);
}

/** Longest wait of a valid request: a short wait tests as much as a wait of an hour. */
const MAX_WAIT_MS = 50;

/** Request fields that set how long the answer may take; each has a default of seconds or more. */
const WAITS = ['timeoutMs', 'queueMs', 'waitMs'];

/**
 * Keeps waits short: sets a wait that is missing or long to {@link MAX_WAIT_MS}, unless the request would be refused.
 */
function shortened(value: unknown, { operation }: Route, resolve: Resolve): unknown {
  const schema = operation.requestBody?.content['application/json']?.schema as JsonSchema | undefined;
  const { properties = {} } = (schema?.$ref ? resolve(schema.$ref) : schema) ?? {};
  if (!(value instanceof Map)) return value;
  const long = WAITS.filter((name) => {
    const given: unknown = value.get(name);
    const isShort = typeof given === 'number' && given <= MAX_WAIT_MS;
    const isRefused = value.has(name) && typeof given !== 'number' && !(given instanceof Raw);
    return properties[name] && !isShort && !isRefused;
  });
  return new Map([...value, ...long.map((name): [string, number] => [name, MAX_WAIT_MS])]);
}

/** Makes requests for a route from its schemas. */
export class RequestMaker {
  readonly #random: Random;
  readonly #resolve: Resolve;
  readonly #known: string[];

  /** @param known - ids of terminals that may be typed into; no request closes them */
  constructor(random: Random, document: OpenApiDocument, known: string[]) {
    this.#random = random;
    this.#known = known;
    this.#resolve = (reference) => {
      const name = reference.replace('#/components/schemas/', '');
      return document.components.schemas[name] as JsonSchema;
    };
  }

  make(route: Route): RawRequest {
    const path = `${this.#path(route)}${this.#query(route)}`;
    const { method } = route;
    const headers = this.#headers(route);
    if (method === 'GET') return { method, path, headers };
    const body = this.#body(route);
    if (body === undefined) return { method, path, headers };
    const type = this.#random.chance(0.97)
      ? 'application/json'
      : this.#random.pick(['text/plain', 'a/b', 'x', '']);
    return {
      method,
      path,
      headers: { ...headers, 'content-type': type, 'content-length': Buffer.byteLength(body) },
      body,
    };
  }

  #path({ method, template }: Route): string {
    const random = this.#random;
    return template.replace(/\{[^}]+\}/g, () => {
      if (method !== 'DELETE' && random.chance(0.4)) return random.pick(this.#known);
      return random.chance(0.5) ? word(random) : random.pick(ODD_SEGMENTS);
    });
  }

  #query({ operation }: Route): string {
    const random = this.#random;
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
    const pairs = declared
      .filter(() => random.chance(0.6))
      .map(({ name, schema }) => {
        const fits = random.chance(0.5);
        const value = fits ? this.#fitting(schema) : oddText(random).slice(0, 2_000);
        // A lone surrogate has no percent-encoding: the conversion to UTF-8 makes it U+FFFD.
        const pair = `${name}=${encodeURIComponent(Buffer.from(String(value)).toString())}`.slice(0, 4_000);
        return random.chance(0.1) ? `${pair}&${pair}` : pair;
      });
    if (random.chance(0.3)) pairs.push(random.pick(ODD_QUERIES));
    return pairs.length > 0 ? `?${pairs.join('&')}` : '';
  }

  /**
   * Returns some of the headers that the route accepts, without the characters that a client cannot send in a header.
   */
  #headers({ operation }: Route): Record<string, string> {
    const random = this.#random;
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'header');
    const values = declared
      .filter(() => random.chance(0.3))
      .map(({ name }): [string, string] => [
        name,
        random.chance(0.7)
          ? word(random)
          : oddText(random)
              .replace(/[^\t\x20-\x7e\x80-\xff]/g, '')
              .slice(0, 4_000),
      ]);
    return Object.fromEntries(values);
  }

  #body(route: Route): string | Buffer | undefined {
    const { operation, template } = route;
    const random = this.#random;
    const schema = operation.requestBody?.content['application/json']?.schema;
    const dice = random.fraction();
    if (dice < 0.05) return undefined;
    if (dice < 0.15) return random.pick(ODD_BODIES);
    if (dice < 0.18) return Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x22, 0xc0, 0x80, 0x22, 0x7d]);
    if (dice < 0.3 || !schema) return writeJson(neverMeant(oddValue(random), template));
    const value = this.#fitting(schema, CLOSING.test(template) ? [] : this.#known);
    for (let spoils = random.int(0, 2); spoils > 0; spoils -= 1) this.#spoil(value);
    return writeJson(neverMeant(shortened(value, route, this.#resolve), template));
  }

  #fitting(schema: object, known = this.#known): unknown {
    return fitting(schema as JsonSchema, this.#random, this.#resolve, known);
  }

  /** Makes one field, at any depth, missing, wrong, of another type, or surplus. */
  #spoil(value: unknown): void {
    const random = this.#random;
    if (Array.isArray(value)) {
      const index = random.int(0, Math.max(0, value.length - 1));
      if (random.chance(0.5)) this.#spoil(value[index]);
      else value[index] = oddValue(random);
    } else if (value instanceof Map) {
      const keys = [...value.keys()];
      const key = keys.length > 0 ? random.pick(keys) : oddKey(random);
      const dice = random.fraction();
      if (dice < 0.25) this.#spoil(value.get(key));
      else if (dice < 0.4) value.delete(key);
      else if (dice < 0.6) value.set(oddKey(random), oddValue(random));
      else value.set(key, random.chance(0.6) ? oddText(random) : oddValue(random));
    }
  }
}
