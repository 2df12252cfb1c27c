import { z } from 'zod';
import { type ApiError, errorOf, type Terminal } from '../../src/client/index.js';
import { DomainError } from '../../src/contract/errors.js';
import { bodyOf } from '../../src/gateway/errors.js';
import { terminalOf } from '../caller.js';
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
function notFound(): ApiError {
  const error = new DomainError('terminal-not-found');
  const { status, code, message } = error;
  return errorOf({ status, code, message, details: { ...bodyOf(error) } });
}

/**
 * Returns the terminal that an argument means. Throws ToolError for `me` if the caller has no terminal, and NotFoundError
 * for text that cannot be an id.
 */
export function terminalFor(terminalId: string, context: Pick<ToolContext, 'caller' | 'service'>): Terminal {
  const id = terminalOf(terminalId, context);
  if (!isTerminalId(id)) throw notFound();
  return context.service.terminals.get(id);
}
