import type { IncomingHttpHeaders } from 'node:http';
import { TERMINAL_HEADER } from '../src/contract/headers.js';
import { ToolError } from './errors.js';
import type { ToolContext } from './tool.js';

/** Stands for the terminal that the caller runs in, wherever a tool takes a terminal's id. */
const ME = 'me';

/** An id as the service makes them. A client without SERVICE_TERMINAL_ID may send an empty or unexpanded text. */
const TERMINAL_ID = /^term_[0-9a-z]{12}$/;

const NO_TERMINAL =
  'You do not run in a terminal of this service, or your client does not say in which: over HTTP it sends the ' +
  'value of the environment variable SERVICE_TERMINAL_ID as the header X-Service-Terminal-Id; over stdio it passes ' +
  'the variable on. Name a terminal by its id; list_terminals shows them.';

/** The terminal that a client of these headers runs in. */
export function callerOf(headers: IncomingHttpHeaders | Record<string, unknown>): string | undefined {
  return terminalIdFrom(headers[TERMINAL_HEADER]);
}

/** The terminal that a process with this environment runs in. */
export function callerInEnvironment(env: NodeJS.ProcessEnv): string | undefined {
  return terminalIdFrom(env.SERVICE_TERMINAL_ID);
}

function terminalIdFrom(value: unknown): string | undefined {
  return typeof value === 'string' && TERMINAL_ID.test(value) ? value : undefined;
}

/** The caller's own terminal. Throws ToolError where it has none. */
export function ownTerminal({ caller }: Pick<ToolContext, 'caller'>): string {
  if (caller === undefined) throw new ToolError(NO_TERMINAL);
  return caller;
}

/** The id that an argument means: `me` is the caller's own. Throws ToolError where it has none. */
export function terminalOf(id: string, context: Pick<ToolContext, 'caller'>): string {
  return id === ME ? ownTerminal(context) : id;
}
