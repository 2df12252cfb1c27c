import type { CreatedToken, Verb } from '#dist/contract/access.js';
import { createApi } from './http.js';
import type { Service } from './service.js';

/** A client of a service in guarded mode, with the service's own token. */
export interface Guarded {
  /** The service's own token. */
  own: string;
  /** Sends a request with a token, and resolves with the answer's status and JSON. */
  send(token: string | undefined, method: string, path: string, body?: unknown): Promise<Sent>;
  make(verbs: Verb[], more?: object): Promise<CreatedToken>;
  /** Creates a terminal that reads all input; resolves with its id. */
  open(labels?: Record<string, string>, token?: string): Promise<string>;
}

interface Sent {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect, and fail if it is not there
  body: any;
}

/** Makes a service require tokens from now on; resolves with a client of it. */
export async function guard(service: Pick<Service, 'url'>): Promise<Guarded> {
  const api = createApi(service.url, { unchecked: true });
  const { body } = await api.get<{ network: { authToken: string } }>('/api/settings?reveal=true');
  const own = body.network.authToken;
  await api.patch('/api/settings', { access: { mode: 'guarded' } });
  return withToken(service.url, own);
}

/** Every verb but admin. */
const ALL_BUT_ADMIN = ['read', 'type', 'run', 'control', 'record', 'search', 'takeover'] as const;

/** A guarded service with a terminal that a token reaches by its label team=a, and a terminal outside. */
export async function withBoundToken(service: Pick<Service, 'url'>) {
  const guarded = await guard(service);
  const inside = await guarded.open({ team: 'a' });
  const outside = await guarded.open({ team: 'b' });
  const token = await guarded.make([...ALL_BUT_ADMIN], { selector: 'team=a' });
  return { guarded, inside, outside, token };
}

/** Returns a client of a service that is in guarded mode. */
export function withToken(url: string, own: string): Guarded {
  async function send(
    token: string | undefined,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Sent> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const { status } = response;
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    // A stream has no end, so only its status is returned.
    if (!isJson) {
      await response.body?.cancel();
      return { status, body: undefined };
    }
    const text = await response.text();
    return { status, body: text === '' ? undefined : JSON.parse(text) };
  }
  async function made<Body>(answer: Promise<Sent>): Promise<Body> {
    const { status, body } = await answer;
    if (status > 299) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body as Body;
  }
  return {
    own,
    send,
    make: (verbs, more = {}) => made(send(own, 'POST', '/api/tokens', { name: 'test', verbs, ...more })),
    open: async (labels = {}, token = own) =>
      (await made<{ id: string }>(send(token, 'POST', '/api/terminals', { command: ['cat'], labels }))).id,
  };
}
