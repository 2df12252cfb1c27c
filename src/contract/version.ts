/** The service's version, as `GET /health`, the WebSocket welcome and the ready line report it. */
export const VERSION = '0.1.0';

/**
 * Returns whether a release is older than another. Only their numbers are compared, and nothing after them. An unknown
 * release is older than any other.
 */
export function isOlder(version: string | undefined, than: string): boolean {
  const [mine, theirs] = [version ?? '', than].map((text) => text.split(/[.+-]/, 3).map(Number));
  for (const [index, number] of theirs!.entries()) {
    const own = mine![index] ?? 0;
    if (own !== number) return own < number;
  }
  return false;
}

/** The application's name in every protocol; a client recognizes the service by it. */
export const APP_NAME = 'auto-terminal';

/** The name of the tool server, which is a process of its own. */
export const MCP_NAME = 'auto-terminal-mcp';
