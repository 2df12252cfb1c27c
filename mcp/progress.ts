import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Logger } from 'pino';
import { PROGRESS_INTERVAL_MS } from '../src/contract/limits.js';

/** One call, as the SDK tells of it. */
export type Call = RequestHandlerExtra<ServerRequest, ServerNotification>;

/**
 * Tells the client of a call, where it asked for that, every few seconds that the call goes on: clients that know
 * that it lives wait longer. Gives what ends it.
 */
export function followProgress(call: Call, logger: Logger): () => void {
  const progressToken = call._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  const begin = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - begin) / 1_000);
    const params = { progressToken, progress: seconds, message: `going on for ${seconds} s` };
    call
      .sendNotification({ method: 'notifications/progress', params })
      .catch((err: unknown) => logger.debug({ err }, 'a client was not told of progress'));
  }, PROGRESS_INTERVAL_MS);
  return () => clearInterval(timer);
}
