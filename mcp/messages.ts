import { isInitializeRequest, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/sdk/types.js';

/** Most messages in a batch; the SDK's transport has the same limit. */
export const MAX_BATCH = 100;

/** Returns the messages of a body: one message or, from older clients, several. */
export function messagesOf(body: unknown): readonly unknown[] {
  if (body === undefined) return [];
  return Array.isArray(body) ? body : [body];
}

/** Returns whether these messages begin a session. Called before validation, which takes long for many messages. */
export function isHello(messages: readonly unknown[]): boolean {
  return messages.some((message) => methodOf(message) === 'initialize' && isInitializeRequest(message));
}

/** Returns the id of a request; undefined for notifications, answers and anything that is not a message. */
export function requestIdOf(message: unknown): RequestId | undefined {
  return methodOf(message) === undefined ? undefined : idIn(message);
}

/** Returns the id of the request that an answer is for; undefined for other messages. */
export function answeredBy(message: JSONRPCMessage): RequestId | undefined {
  return 'method' in message ? undefined : message.id;
}

/** Returns the id of the request that a client cancels by this message; undefined for other messages. */
export function cancelledBy(message: unknown): RequestId | undefined {
  if (methodOf(message) !== 'notifications/cancelled') return undefined;
  const { params } = message as { params?: unknown };
  return idIn(params, 'requestId');
}

/** Returns the method of a message; undefined for anything without a method. */
export function methodOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('method' in message)) return undefined;
  return typeof message.method === 'string' ? message.method : undefined;
}

function idIn(data: unknown, key: 'id' | 'requestId' = 'id'): RequestId | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const id = (data as Record<string, unknown>)[key];
  return typeof id === 'string' || Number.isInteger(id) ? (id as RequestId) : undefined;
}
