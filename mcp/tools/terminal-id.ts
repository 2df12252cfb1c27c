import { z } from 'zod';
import { DomainError } from '../../src/contract/errors.js';
import { bodyOf } from '../../src/gateway/errors.js';
import { terminalOf } from '../caller.js';
import { RestRefusal } from '../errors.js';
import type { ToolContext } from '../tool.js';

/** The argument `terminalId` of a tool. */
export const TerminalId = z
  .string()
  .describe('Id from list_terminals or create_terminal; "me" is the terminal that you run in yourself');

/** Ids that a service may make. In a path, other text could name another resource: `..`, `batch`. */
const ID = /^term[_-][A-Za-z0-9_-]+$/;

/** Returns whether a text can be the id of a terminal. */
export function isTerminalId(id: string): boolean {
  return ID.test(id);
}

/** Returns the error with which the API answers for an unknown terminal. */
function notFound(): RestRefusal {
  const error = new DomainError('terminal-not-found');
  return new RestRefusal(error.status, error.message, { ...bodyOf(error) });
}

/**
 * Returns the terminal that an argument means, and its path in the API. Throws ToolError for `me` if the caller has no
 * terminal, and RestRefusal for text that cannot be an id.
 */
export function terminalFor(
  terminalId: string,
  context: Pick<ToolContext, 'caller'>,
): { id: string; path: (rest?: string) => string } {
  const id = terminalOf(terminalId, context);
  if (!isTerminalId(id)) throw notFound();
  return { id, path: (rest = '') => `/api/terminals/${id}${rest}` };
}
