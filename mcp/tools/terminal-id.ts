import { z } from 'zod';
import { DomainError } from '../../src/contract/errors.js';
import { bodyOf } from '../../src/gateway/errors.js';
import { terminalOf } from '../caller.js';
import { RestRefusal } from '../errors.js';
import type { ToolContext } from '../tool.js';

/** The `terminalId` of a tool. */
export const TerminalId = z
  .string()
  .describe(
    'Id as list_terminals or create_terminal gives it; "me" is the terminal that you run in yourself',
  );

/** Ids as a service may make them. In a path anything else might be another resource: `..`, `batch`. */
const ID = /^term[_-][A-Za-z0-9_-]+$/;

export function isTerminalId(id: string): boolean {
  return ID.test(id);
}

/** That no such terminal is there, as the API says it. */
function notFound(): RestRefusal {
  const error = new DomainError('terminal-not-found');
  return new RestRefusal(error.status, error.message, { ...bodyOf(error) });
}

/**
 * The terminal that an argument means, and its path in the API. Throws ToolError for the `me` of a caller who has no
 * terminal, RestRefusal for what can be no id.
 */
export function terminalFor(
  terminalId: string,
  context: Pick<ToolContext, 'caller'>,
): { id: string; path: (rest?: string) => string } {
  const id = terminalOf(terminalId, context);
  if (!isTerminalId(id)) throw notFound();
  return { id, path: (rest = '') => `/api/terminals/${id}${rest}` };
}
