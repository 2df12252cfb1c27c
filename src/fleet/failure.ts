import type { DomainError } from '../contract/errors.js';
import type { FleetAnswer } from './wire.js';

/** Returns what an answer says of an error. */
export function bodyOfError({ message: error, code, fix, details }: DomainError): Record<string, unknown> {
  return { error, code, ...(fix !== undefined && { fix }), ...details };
}

/** Returns the answer to another machine's request that has failed. */
export function failure(error: DomainError): FleetAnswer {
  return {
    status: error.status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(JSON.stringify(bodyOfError(error))),
  };
}
