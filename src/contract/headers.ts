/** Names of the service's own headers, in lower case as Node gives them. */

/** Header with the id of the terminal that the caller runs in: the caller's `SERVICE_TERMINAL_ID`. */
export const TERMINAL_HEADER = 'x-service-terminal-id';

/**
 * Header with the kind of client: `mcp` for the tool server, whose terminals and input are marked so, and `page` for a page of
 * the service's own origin.
 */
export const CLIENT_HEADER = 'x-auto-terminal-client';

/** Header with the id of the only instance that a request is for: another instance answers 421 and does nothing. */
export const INSTANCE_HEADER = 'x-auto-terminal-instance';
