import type { ServerResponse } from 'node:http';

/**
 * Calls back once, when the whole answer has been sent or its client has left; at once if the client has left already:
 * its response emits no further `close`.
 */
export function onClosed(response: ServerResponse, callback: () => void): void {
  if (response.destroyed) callback();
  else response.once('close', callback);
}
