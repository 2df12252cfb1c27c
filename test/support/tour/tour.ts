import type { OperationExample } from '#dist/gateway/openapi/examples.js';
import type { Api, RawRequest } from '../http.js';
import { isShown, keyOf } from './check.js';
import type { Neutral } from './neutral.js';

/** The parts of a request besides its method. */
export interface Sent {
  /** Values for the names in braces of the path. */
  path?: Record<string, string>;
  query?: Record<string, string | number>;
  headers?: Record<string, string>;
  body?: unknown;
  /** Amount to read of an event stream. */
  stream?: RawRequest['stream'];
}

/** Most characters of a text, such as the metrics, that an example shows. */
const MAX_TEXT_CHARS = 1_500;

/** Calls the operations of a service, and keeps requests and answers as examples. */
export class Tour {
  readonly api: Api;
  /** Examples by operation, like `GET /api/runs/{runId}`: the first request, and the first answer of each status. */
  readonly seen = new Map<string, OperationExample>();
  readonly #neutral: Neutral;

  constructor(api: Api, neutral: Neutral) {
    this.api = api;
    this.#neutral = neutral;
  }

  /**
   * Sends a request that is an example; resolves with the body of its answer, and rejects for a failure. Routes that
   * only the dashboard serves need the dashboard's `api`.
   */
  async call<Body>(operation: string, sent: Sent = {}, api = this.api): Promise<Body> {
    const [method = '', template = ''] = operation.split(' ');
    const path = template.replace(/\{(\w+)\}/g, (_braces, name: string) => {
      const value = sent.path?.[name];
      if (value === undefined) throw new Error(`${operation} needs its ${name}`);
      return value;
    });
    const pairs = Object.entries(sent.query ?? {}).map(([name, value]) => [name, String(value)]);
    const query = sent.query ? `?${new URLSearchParams(Object.fromEntries(pairs))}` : '';
    const answer = await api.raw({
      method,
      path: `${path}${query}`,
      headers: { ...sent.headers, ...(sent.body !== undefined && { 'content-type': 'application/json' }) },
      ...(sent.body !== undefined && { body: JSON.stringify(sent.body) }),
      ...(sent.stream && { stream: sent.stream }),
    });
    if (answer.status >= 400) throw new Error(`${operation} answered ${answer.status}: ${answer.body}`);
    const [type = ''] = String(answer.headers['content-type'] ?? '').split(';', 1);
    const body: unknown = type === 'application/json' ? JSON.parse(answer.body) : answer.body;
    this.#keep(operation, sent, { status: answer.status, type, body });
    return body as Body;
  }

  #keep(operation: string, sent: Sent, answer: { status: number; type: string; body: unknown }): void {
    const { status, type, body } = answer;
    const key = keyOf(`${status}`, type);
    const parameters = { ...sent.path, ...sent.query, ...sent.headers };
    const step = `${operation} ${this.seen.has(operation) ? key : ''}`;
    // One call for all parts: a second call for the same step would give other ids the same replacements.
    const shown = this.#neutral.show(step, { parameters, sent: sent.body, body });
    const example = this.seen.get(operation) ?? {
      ...(Object.keys(parameters).length > 0 && { parameters: shown.parameters }),
      ...(sent.body !== undefined && { body: shown.sent }),
      answers: {},
    };
    this.seen.set(operation, example);
    if (Object.hasOwn(example.answers, key) || !isShown(type)) return;
    example.answers[key] = typeof shown.body === 'string' ? shortened(shown.body) : shown.body;
  }
}

/** Returns the first lines of the text. */
function shortened(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return text;
  return text.slice(0, text.lastIndexOf('\n', MAX_TEXT_CHARS) + 1);
}
