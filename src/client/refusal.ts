import type { Refusal } from './errors.js';

/** Returns the failure that an answer reports; an answer of another program counts as a failure, too. */
export function refusalOf(status: number, headers: Readonly<Record<string, string>>, text: string): Refusal {
  const details = objectIn(text) ?? {};
  const retryAfter = Number(headers['retry-after']);
  return {
    status,
    code: typeof details.code === 'string' ? details.code : `http-${status}`,
    message: typeof details.error === 'string' ? details.error : `The service answered with status ${status}`,
    fix: typeof details.fix === 'string' ? details.fix : undefined,
    details,
    requestId: headers['x-request-id'],
    retryAfterMs: Number.isFinite(retryAfter) ? retryAfter * 1_000 : undefined,
  };
}

/** Returns an object or array of JSON; undefined for any other text. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
