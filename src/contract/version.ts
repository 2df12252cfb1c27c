/** The service's version, as `GET /health`, the WebSocket welcome and the ready line report it. */
export const VERSION = '0.1.0';

/** The application's name in every protocol; a client recognizes the service by it. */
export const APP_NAME = 'auto-terminal';

/** The name of the tool server, which is a process of its own. */
export const MCP_NAME = 'auto-terminal-mcp';
