import { createHmac, randomBytes } from 'node:crypto';
import { WEBHOOK_SECRET_BYTES } from '../../contract/limits.js';

const PREFIX = 'whsec_';

/** A message that is posted; the same for each attempt. */
export interface SignedMessage {
  id: string;
  body: string;
}

/** Returns a new secret in the form that the libraries of Standard Webhooks take. */
export function newSecret(): string {
  return PREFIX + randomBytes(WEBHOOK_SECRET_BYTES).toString('base64');
}

/**
 * Returns the headers of Standard Webhooks (standardwebhooks.com): the receiver computes the signature again, and refuses
 * a timestamp that is too old.
 * @param seconds - time of this attempt, in seconds since the epoch
 */
export function signatureHeaders(
  secret: string,
  { id, body }: SignedMessage,
  seconds: number,
): Record<string, string> {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}
