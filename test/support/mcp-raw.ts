/** One exchange with the MCP endpoint, as a client without the SDK sees it. */
export interface RawAnswer {
  status: number;
  /** The session id in the answer. */
  session: string | null;
  /** This and the next fields come from the last message of the answer. */
  id?: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
  /** All messages, notifications included. */
  messages: Record<string, unknown>[];
}

export interface RawOptions {
  session?: string;
  method?: 'POST' | 'GET' | 'DELETE';
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Sends one JSON-RPC message (its `id` is 1 unless it has one), and reads the answer to its end. */
export async function rpc(
  url: string,
  message: Record<string, unknown> | undefined,
  { session, method = 'POST', headers = {}, signal }: RawOptions = {},
): Promise<RawAnswer> {
  const response = await fetch(url, {
    method,
    signal,
    headers: {
      accept: 'application/json, text/event-stream',
      ...(message && { 'content-type': 'application/json' }),
      ...(session !== undefined && { 'mcp-session-id': session }),
      ...headers,
    },
    body: message && JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
  const messages = messagesOf(await response.text());
  return {
    status: response.status,
    session: response.headers.get('mcp-session-id'),
    ...messages.at(-1),
    messages,
  };
}

/** Begins a session and resolves with its id; sends `stale`, as a client with an old session id does. */
export async function sessionOf(
  url: string,
  stale?: string,
  headers?: Record<string, string>,
): Promise<string> {
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  };
  const answer = await rpc(url, { method: 'initialize', params }, { session: stale, headers });
  if (answer.session === null) throw new Error(`no session: ${JSON.stringify(answer)}`);
  return answer.session;
}

/** Returns the messages of an event stream, or of one JSON text. */
function messagesOf(text: string): Record<string, unknown>[] {
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data!);
  const texts = events.length > 0 ? events : text.startsWith('{') ? [text] : [];
  return texts.map((each) => JSON.parse(each));
}
