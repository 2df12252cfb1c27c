import { type AutoTerminalError, DisconnectedError, errorOf, NotUnderstoodError } from './errors.js';

/**
 * Returns the error for an answer that reports a failure, also with status 200. Only the service's own answers
 * say that it has refused the request.
 */
export function failureOf(
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
): AutoTerminalError {
  const details = objectIn(text) ?? {};
  const { error, code, fix } = details;
  const isOurs = typeof error === 'string';
  // A proxy that has no answer of the service, which may have received the request.
  const isOfProxy = status === 502 || status === 504;
  if (!isOurs && isOfProxy) return new DisconnectedError(`A proxy answered ${status}`);
  if (!isOurs && status === 404) return new NotUnderstoodError('it answers 404');
  const retryAfter = Number(headers['retry-after']);
  return errorOf({
    status,
    code: typeof code === 'string' ? code : `http-${status}`,
    message: isOurs ? error : `The service answered with status ${status}`,
    fix: typeof fix === 'string' ? fix : undefined,
    details,
    requestId: headers['x-request-id'],
    retryAfterMs: Number.isFinite(retryAfter) ? retryAfter * 1_000 : undefined,
  });
}

/** Returns an object or array of JSON; undefined for any other text. */
function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns an object or array of JSON. Throws NotUnderstoodError for any other text. */
export function objectOf<Value extends object>(text: string): Value {
  const value = objectIn(text);
  if (!value) throw new NotUnderstoodError('no JSON object');
  return value as Value;
}
