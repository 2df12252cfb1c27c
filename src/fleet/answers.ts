import type { DomainError } from '../contract/errors.js';
import { parsed, sha256 } from './signed.js';
import type { CallRequest, FleetAnswer } from './wire.js';

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

/** Returns the parsed body of an answer; undefined if it is not JSON. */
export function jsonIn({ body }: Pick<FleetAnswer, 'body'>): unknown {
  return parsed(body.toString());
}

/** Returns the code in an error's body; the other machine's release may have codes that this release does not know. */
export function codeIn(content: unknown): string | undefined {
  const code =
    typeof content === 'object' && content !== null ? (content as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Returns a list without the terminals that the machine may not observe. */
export function onlyShown(answer: FleetAnswer, key: string, isShown: (id: string) => boolean): FleetAnswer {
  const content = JSON.parse(answer.body.toString()) as Record<string, unknown>;
  const items = content[key];
  if (!Array.isArray(items)) throw new Error(`an answer has no list ${key}`);
  const shown = items.filter((item: { id: string }) => isShown(item.id));
  return { ...answer, body: Buffer.from(JSON.stringify({ ...content, [key]: shown })) };
}

/** Returns an answer without its body, if the other machine has kept the same. */
export function unlessKnown(
  { method, known }: Pick<CallRequest, 'method' | 'known'>,
  answer: FleetAnswer,
): FleetAnswer {
  const isKnown =
    known !== undefined && method === 'GET' && answer.status === 200 && sha256(answer.body) === known;
  return isKnown ? { status: 304, headers: answer.headers, body: Buffer.alloc(0) } : answer;
}
