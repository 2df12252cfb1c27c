import type { IncomingHttpHeaders } from 'node:http';
import { TERMINAL_HEADER } from '../src/contract/headers.js';
import { ToolError } from './errors.js';
import type { ToolContext } from './tool.js';

/** In all tools: the terminal id by which a caller names its own terminal. */
const ME = 'me';

/** A terminal id of this service. A client without SERVICE_TERMINAL_ID may send an empty or unexpanded text. */
const TERMINAL_ID = /^term_[0-9a-z]{12}$/;

const NO_TERMINAL =
  'You do not run in a terminal of this service, or your client does not say in which. Over HTTP, the ' +
  'client must send the value of the environment variable SERVICE_TERMINAL_ID as the header ' +
  'X-Service-Terminal-Id; over stdio, it must pass the variable on. Otherwise name a terminal by its id; ' +
  'list_terminals shows the ids.';

/** Returns the id of the terminal that the sender of these headers runs in, if known. */
export function callerOf(headers: IncomingHttpHeaders | Record<string, unknown>): string | undefined {
  return terminalIdFrom(headers[TERMINAL_HEADER]);
}

/** Returns the id of the terminal that a process with this environment runs in, if any. */
export function callerInEnvironment(env: NodeJS.ProcessEnv): string | undefined {
  return terminalIdFrom(env.SERVICE_TERMINAL_ID);
}

function terminalIdFrom(value: unknown): string | undefined {
  return typeof value === 'string' && TERMINAL_ID.test(value) ? value : undefined;
}

/** Returns the id of the caller's own terminal. Throws ToolError if it has none. */
export function ownTerminal({ caller }: Pick<ToolContext, 'caller'>): string {
  if (caller === undefined) throw new ToolError(NO_TERMINAL);
  return caller;
}

/** Returns the terminal id that an argument names: `me` is the caller's own terminal. Throws ToolError if it has none. */
export function terminalOf(id: string, context: Pick<ToolContext, 'caller'>): string {
  return id === ME ? ownTerminal(context) : id;
}
