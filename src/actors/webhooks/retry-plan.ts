import type { WebhookAttempt } from '../../contract/webhook.js';
import type { PostResult } from './post.js';

/** State of a delivery after an attempt. `again`: it is tried again at once, as if this attempt had not been made. */
export type AfterAttempt =
  | { outcome: 'delivered' | 'dead' | 'gone' | 'again' }
  | { outcome: 'retrying'; delayMs: number };

/**
 * What became of a webhook during an attempt: `changed` means that the attempt went to a URL that is not the webhook's
 * any more, `dropped` that all that waited was dropped.
 */
export type Meanwhile = 'same' | 'changed' | 'dropped';

export interface Attempted {
  status: PostResult['status'];
  meanwhile: Meanwhile;
}

const GONE = 410;

/**
 * Returns the state of a delivery. Only a 2xx counts as delivered: a redirect is not followed, and a receiver that
 * refuses a message may be repaired before the last attempt. The failure of a receiver that the webhook has left says
 * nothing of the receiver that the webhook has now.
 * @param attempt - number of the attempt, from 1 on
 * @param delaysMs - pause after each failed attempt; after one more the delivery is dead
 */
export function afterAttempt(
  { status, meanwhile }: Attempted,
  attempt: number,
  delaysMs: readonly number[],
): AfterAttempt {
  if (isSuccess(status)) return { outcome: 'delivered' };
  if (meanwhile === 'dropped') return { outcome: 'dead' };
  if (meanwhile === 'changed') return { outcome: 'again' };
  if (status === GONE) return { outcome: 'gone' };
  const delayMs = delaysMs[attempt - 1];
  return delayMs === undefined ? { outcome: 'dead' } : { outcome: 'retrying', delayMs };
}

export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Returns the fault of an attempt, in words; null if there is none. */
export function faultOf({ status, error }: Pick<PostResult, 'status' | 'error'>): WebhookAttempt['error'] {
  if (error !== null || status === null || isSuccess(status)) return error;
  if (status >= 300 && status < 400) return 'redirects are not followed';
  return status === GONE ? 'the receiver is gone' : `the receiver answered ${status}`;
}
