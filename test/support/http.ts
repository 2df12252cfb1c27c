import { once } from 'node:events';
import { type Agent, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { WebSocket } from 'ws';
import { conformanceOf } from './conformance.js';
import { DEADLINE_MS } from './deadline.js';
import { Printed } from './printed.js';
import { within } from './service.js';

export interface Answer<Body> {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Body;
}

/** The body of a failure. */
export interface Failure {
  error: string;
}

export interface RawRequest {
  method?: string;
  path: string;
  /** Sent unchanged; without `host` there is no Host header. */
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
  /** Amount to read of an event stream without an end; only the first message if absent. */
  stream?: {
    messages: number;
    /** Called once the first message has arrived. */
    meanwhile: () => Promise<unknown>;
  };
}

/** Returns the first messages of an event stream, or undefined until all of them are complete. */
function messagesOf(text: string, count: number): string | undefined {
  const messages = text.split('\n\n');
  return messages.length > count ? `${messages.slice(0, count).join('\n\n')}\n\n` : undefined;
}

/** Sends one request over node:http, which forbids no header. Resolves with the answer; its body is the text. */
function sendRaw(
  url: string,
  { method = 'GET', path, headers = {}, body, stream }: RawRequest,
  agent?: Agent,
) {
  const { hostname, port } = new URL(url);
  return new Promise<Answer<string>>((resolve, reject) => {
    const options = { hostname, port, method, path, headers, setHost: false, agent: agent ?? false };
    const request = httpRequest(options, (response) => {
      let text = '';
      const answer = () => ({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      // The tool server answers a POST with a stream, too, but that stream ends.
      const isStream = method === 'GET' && response.headers['content-type'] === 'text/event-stream';
      let { meanwhile } = stream ?? {};
      const takeMessages = () => {
        if (messagesOf(text, 1)) meanwhile?.().catch(reject);
        if (messagesOf(text, 1)) meanwhile = undefined;
        const messages = messagesOf(text, stream?.messages ?? 1);
        if (messages === undefined) return;
        resolve({ ...answer(), body: messages });
        request.destroy();
      };
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (isStream) takeMessages();
      });
      response.on('end', () => resolve(answer()));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

export interface ApiOptions {
  /** Sent along with every request. */
  headers?: Record<string, string>;
  /** Keeps the connections of raw requests; if absent, each request opens its own. */
  agent?: Agent;
  /** Skips the check of answers against the document: for benchmarks. */
  unchecked?: boolean;
}

/** Routes of other machines, which those machines' own documents describe. */
const MACHINES = '/api/machines/';

/**
 * Returns a REST client of one service. It rejects if an answer does not match the service's OpenAPI document. A body
 * of `undefined` sends no body and no content type.
 */
export function createApi(url: string, { headers = {}, agent, unchecked = false }: ApiOptions = {}) {
  /** Fetches the document before the request, since the service may stop after it. */
  const documented = async (path: string) =>
    unchecked || path.startsWith(MACHINES) ? undefined : conformanceOf(url, headers);

  async function send<Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
    const conformance = await documented(path);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const { status } = response;
    const contentType = response.headers.get('content-type') ?? '';
    conformance?.check({ method, path, status, contentType, body: text });
    const isJson = contentType.startsWith('application/json');
    const parsed: unknown = text === '' ? undefined : isJson ? JSON.parse(text) : text;
    return { status, headers: Object.fromEntries(response.headers), body: parsed as Body };
  }

  /** Sends any request, with the client's headers and the service's Host unless the request names others. */
  async function raw(request: RawRequest): Promise<Answer<string>> {
    const conformance = await documented(request.path);
    const sent = { host: new URL(url).host, ...headers, ...request.headers };
    const answer = await sendRaw(url, { ...request, headers: sent }, agent);
    const contentType = String(answer.headers['content-type'] ?? '');
    conformance?.check({ method: 'GET', ...request, contentType, ...answer });
    return answer;
  }

  return {
    url,
    get: <Body>(path: string) => send<Body>('GET', path),
    post: <Body>(path: string, body?: unknown) => send<Body>('POST', path, body),
    put: <Body>(path: string, body?: unknown) => send<Body>('PUT', path, body),
    patch: <Body>(path: string, body?: unknown) => send<Body>('PATCH', path, body),
    delete: <Body>(path: string) => send<Body>('DELETE', path),
    raw,
  };
}
export type Api = ReturnType<typeof createApi>;

/** A JSON frame from the service. */
export interface Frame {
  id?: string;
  success?: boolean;
  error?: string;
  type?: string;
  event?: { type: string; terminalId: string; seq?: number; data: Record<string, unknown> };
  data?: Record<string, unknown>;
}

export interface Watcher {
  socket: WebSocket;
  frames: Frame[];
  /** Returns all output of a terminal since the connection was opened. */
  output(terminalId: string): string;
  /** Resolves once the condition holds; it is checked after each frame and at the close. */
  until(condition: () => boolean, deadlineMs?: number): Promise<void>;
  /** Resolves with all of the terminal's output once it contains the text. */
  untilOutput(terminalId: string, text: string, deadlineMs?: number): Promise<string>;
  send(message: unknown): void;
  close(): Promise<void>;
}

/** Connects to the service's WebSocket; `query` is the text after the question mark. */
export async function watch(url: string, query = ''): Promise<Watcher> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws${query === '' ? '' : `?${query}`}`);
  // No frame after the welcome is missed.
  const welcome = once(socket, 'message');
  const frames: Frame[] = [];
  const printed = new Printed();
  const waiting = new Set<() => void>();
  const wakeAll = () => {
    for (const wake of waiting) wake();
  };
  socket.on('message', (message) => {
    const frame: Frame = JSON.parse(String(message));
    frames.push(frame);
    if (frame.event?.type === 'output.data') {
      const { terminalId, data } = frame.event;
      printed.add(terminalId, String(data.content));
    }
    wakeAll();
  });
  socket.on('close', wakeAll);
  await welcome;

  const output = (terminalId: string) => printed.all(terminalId);
  async function until(condition: () => boolean, deadlineMs = DEADLINE_MS): Promise<void> {
    let wake = () => {};
    const holds = new Promise<void>((resolve) => {
      wake = () => condition() && resolve();
    });
    waiting.add(wake);
    wake();
    const last = () => `condition not met; the last frame was ${JSON.stringify(frames.at(-1))}`;
    await within(deadlineMs, holds, last).finally(() => waiting.delete(wake));
  }
  async function untilOutput(terminalId: string, text: string, deadlineMs?: number): Promise<string> {
    await until(printed.search(terminalId, text), deadlineMs).catch((cause: unknown) => {
      const got = JSON.stringify(output(terminalId).slice(-2_000));
      throw new Error(`${terminalId} did not print ${JSON.stringify(text)}, but ${got}`, { cause });
    });
    return output(terminalId);
  }
  async function close(): Promise<void> {
    if (socket.readyState === WebSocket.CLOSED) return;
    socket.close();
    await once(socket, 'close');
  }
  return {
    socket,
    frames,
    output,
    until,
    untilOutput,
    send: (message) => socket.send(JSON.stringify(message)),
    close,
  };
}
