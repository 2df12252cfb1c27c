import type { DomainError } from '../contract/errors.js';
import type { FleetAnswer } from './wire.js';

/** Returns the body of an error, as the routes answer it. */
export function bodyOfError({ message: error, code, fix, details }: DomainError): Record<string, unknown> {
  return { error, code, ...(fix !== undefined && { fix }), ...details };
}

/** Returns an error as the answer to another machine. */
export function failure(error: DomainError): FleetAnswer {
  return {
    status: error.status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(JSON.stringify(bodyOfError(error))),
  };
}

/** Returns a list without the terminals that the machine may not observe. */
export function onlyShown(answer: FleetAnswer, key: string, isShown: (id: string) => boolean): FleetAnswer {
  const content = JSON.parse(answer.body.toString()) as Record<string, unknown>;
  const items = content[key];
  if (!Array.isArray(items)) throw new Error(`an answer has no list ${key}`);
  const shown = items.filter((item: { id: string }) => isShown(item.id));
  return { ...answer, body: Buffer.from(JSON.stringify({ ...content, [key]: shown })) };
}
