import { isInitializeRequest, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/sdk/types.js';

/** Messages of a batch; the SDK's transport takes as many. */
export const MAX_BATCH = 100;

/** A body is one message or, for older clients, several. */
export function messagesOf(body: unknown): readonly unknown[] {
  if (body === undefined) return [];
  return Array.isArray(body) ? body : [body];
}

/** Whether a client begins a session by these. Looked at before they are validated, which takes long for many. */
export function isHello(messages: readonly unknown[]): boolean {
  return messages.some((message) => methodOf(message) === 'initialize' && isInitializeRequest(message));
}

/** The id of a request; undefined for notifications, answers and what is no message. */
export function requestIdOf(message: unknown): RequestId | undefined {
  return methodOf(message) === undefined ? undefined : idIn(message);
}

/** The request that an answer is for. */
export function answeredBy(message: JSONRPCMessage): RequestId | undefined {
  return 'method' in message ? undefined : message.id;
}

/** The request that a client cancels by this message. */
export function cancelledBy(message: unknown): RequestId | undefined {
  if (methodOf(message) !== 'notifications/cancelled') return undefined;
  const { params } = message as { params?: unknown };
  return idIn(params, 'requestId');
}

export function methodOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('method' in message)) return undefined;
  return typeof message.method === 'string' ? message.method : undefined;
}

function idIn(data: unknown, key: 'id' | 'requestId' = 'id'): RequestId | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const id = (data as Record<string, unknown>)[key];
  return typeof id === 'string' || Number.isInteger(id) ? (id as RequestId) : undefined;
}
