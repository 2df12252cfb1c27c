import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../contract/errors.js';
import type { RouteFacts } from './parts.js';

/** A status that any route may answer with. */
interface CommonFailure {
  /** Name in the document's `components.responses`. */
  name: string;
  reason: string;
  /** Codes of the failures that have this status. */
  codes: readonly ErrorCode[];
}

const NO_REQUEST: Record<number, CommonFailure> = {
  408: {
    name: 'RequestTimeout',
    reason: 'The request did not arrive completely within a minute; the connection is closed',
    codes: ['request-timeout'],
  },
  431: {
    name: 'HeadersTooLarge',
    reason: 'The headers, including the URL, are larger than 16 KiB; the connection is closed',
    codes: ['headers-too-large'],
  },
};

const OF_SERVICE: Record<number, CommonFailure> = {
  500: {
    name: 'Internal',
    reason: 'The service failed; its log has the cause under the `x-request-id` of the answer',
    codes: ['internal'],
  },
  503: {
    name: 'Unavailable',
    reason: 'Too busy, or shutting down: try again after `Retry-After` seconds',
    codes: ['unavailable', 'shutting-down'],
  },
};

/** Failures of every route but the health routes, which anybody may ask. */
const GUARDED: Record<number, CommonFailure> = {
  401: {
    name: 'Unauthorized',
    reason: 'In exposed and in guarded mode: the token is missing or wrong (`unauthorized`)',
    codes: ['unauthorized'],
  },
  421: {
    name: 'OtherInstance',
    reason: 'The instance that answers is not the one that `x-auto-terminal-instance` names',
    codes: ['other-instance'],
  },
};

/** Failure of every route that has no 429 of its own, whose body would say more. */
const RATED: Record<number, CommonFailure> = {
  429: {
    name: 'TokenRate',
    reason: 'In guarded mode: the token has sent as many requests as it may (`token-rate`)',
    codes: ['token-rate'],
  },
};

const INVALID = 'The request is invalid; the message names the wrong part and the reason';
const STRANGERS: readonly ErrorCode[] = [
  ...(['host-not-allowed', 'origin-not-allowed', 'other-user'] as const),
  ...(['verb-missing', 'outside-scope'] as const),
];

/** Failures of routes that read. */
const OF_GET: Record<number, CommonFailure> = {
  400: { name: 'InvalidRead', reason: INVALID, codes: ['invalid-request', 'host-not-one'] },
  403: {
    name: 'ForbiddenRead',
    reason: 'Host or Origin is not allowed; or, in guarded mode, the token does not allow it',
    codes: STRANGERS,
  },
};

/** Failures of routes that take a body, or could. */
const OF_OTHERS: Record<number, CommonFailure> = {
  400: {
    name: 'Invalid',
    reason: INVALID,
    codes: ['invalid-request', 'invalid-json', 'invalid-utf8', 'host-not-one'],
  },
  403: {
    name: 'Forbidden',
    reason: 'Host, Origin or content type is not allowed; or, in guarded mode, the token does not allow it',
    codes: [...STRANGERS, 'form-not-allowed'],
  },
  413: { name: 'BodyTooLarge', reason: 'The body is larger than 8 MiB', codes: ['body-too-large'] },
  415: {
    name: 'NotJson',
    reason:
      'The body is not declared as `application/json`, has a charset other than UTF-8, or has a ' +
      '`Content-Encoding`',
    codes: ['not-json', 'unsupported-charset', 'unsupported-encoding'],
  },
  507: { name: 'StorageFull', reason: ERRORS['storage-full'].message, codes: ['storage-full'] },
};

/** Failures of routes that name terminals, or what belongs to one. */
const SCOPED: Record<number, CommonFailure> = {
  404: {
    name: 'OutsideScope',
    reason: 'In guarded mode: the token is bound to some terminals, and this names another or none',
    codes: ['terminal-not-found'],
  },
};

function declares({ response }: RouteFacts['schema'], status: number): boolean {
  return (response as Record<string, unknown> | undefined)?.[status] !== undefined;
}

/** Returns whether a route documents itself that it answers so for an unknown terminal. */
function saysNotFound({ response }: RouteFacts['schema']): boolean {
  const declared = (response as Record<string, unknown> | undefined)?.[404];
  if (!(declared instanceof z.ZodType)) return false;
  return ((declared.meta()?.codes ?? []) as readonly ErrorCode[]).includes('terminal-not-found');
}

/** Returns the failures that every route may answer, by status. */
export function commonFailures({ method, schema, access }: RouteFacts): Record<number, CommonFailure> {
  const isOpen = schema.security?.length === 0;
  return {
    ...NO_REQUEST,
    ...OF_SERVICE,
    ...(!isOpen && GUARDED),
    ...(!isOpen && !declares(schema, 429) && RATED),
    ...((access?.reach === 'terminal' || access?.reach === 'filtered') && !saysNotFound(schema) && SCOPED),
    ...(method === 'GET' ? OF_GET : OF_OTHERS),
  };
}
