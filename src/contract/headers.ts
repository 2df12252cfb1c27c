/** Names of the service's own headers, in lower case as Node has them. */

/** The terminal that the caller runs in: its `SERVICE_TERMINAL_ID` (SPEC.md, Tool server). */
export const TERMINAL_HEADER = 'x-service-terminal-id';

/** Who asks, as `mode` and `lastInputSource` show it: `mcp` for the tool server, `api` when absent. */
export const CLIENT_HEADER = 'x-auto-terminal-client';

/** The only instance that a request is for: another one answers 421 and does nothing. */
export const INSTANCE_HEADER = 'x-auto-terminal-instance';
