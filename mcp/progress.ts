import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Logger } from 'pino';
import { PROGRESS_INTERVAL_MS } from '../src/contract/limits.js';

/** A tool call as the SDK passes it to a handler. */
export type Call = RequestHandlerExtra<ServerRequest, ServerNotification>;

/**
 * Sends progress notifications every PROGRESS_INTERVAL_MS, if the client asked for them: clients wait longer for a call
 * that is known to run. Returns a function that ends the notifications.
 */
export function followProgress(call: Call, logger: Logger): () => void {
  const progressToken = call._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  const begin = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - begin) / 1_000);
    const params = { progressToken, progress: seconds, message: `running for ${seconds} s` };
    call
      .sendNotification({ method: 'notifications/progress', params })
      .catch((err: unknown) => logger.debug({ err }, 'a progress notification could not be sent'));
  }, PROGRESS_INTERVAL_MS);
  return () => clearInterval(timer);
}
