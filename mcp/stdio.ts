import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Logger } from 'pino';
import type { SidecarSettings } from '../src/contract/sidecar.js';
import { BatchLines } from './batch-lines.js';
import { callerInEnvironment } from './caller.js';
import { CallersToken } from './callers-token.js';
import { answeredBy, cancelledBy, requestIdOf } from './messages.js';
import { createServer } from './server.js';
import { connectService } from './service.js';

/** Time for calls in work after the end of the input: the client may still read their answers. */
const FAREWELL_MS = 1_000;

/** Serves one client over standard input and output until the input ends. */
export async function serveStdio(
  settings: SidecarSettings,
  env: NodeJS.ProcessEnv,
  logger: Logger,
  onEnd: (exitCode: number) => void,
): Promise<void> {
  const caller = callerInEnvironment(env);
  const service = connectService(() => settings);
  const tokens = new CallersToken(() => settings, service);
  const server = createServer({ tokens, apiUrl: () => settings.apiUrl, logger, callerOf: () => caller });
  const lines = process.stdin.pipe(new BatchLines());
  process.stdin.once('error', (err) => lines.destroy(err));
  const transport = new StdioServerTransport(lines);
  await server.connect(transport);

  const unanswered = new Set<RequestId>();
  let hasEnded = false;
  const endWhenAnswered = () => {
    if (hasEnded && unanswered.size === 0) onEnd(0);
  };
  const settle = (id: RequestId | undefined) => {
    if (id === undefined) return;
    unanswered.delete(id);
    endWhenAnswered();
  };
  const { onmessage, send } = transport;
  transport.onmessage = (message) => {
    const id = requestIdOf(message);
    if (id !== undefined) unanswered.add(id);
    onmessage?.(message);
    settle(cancelledBy(message));
  };
  transport.send = async (message) => {
    await send.call(transport, message);
    settle(answeredBy(message));
  };
  lines.once('end', () => {
    hasEnded = true;
    setTimeout(() => onEnd(0), FAREWELL_MS);
    endWhenAnswered();
  });
  // The transport closes by itself only after a line that is too long, and then reads no more.
  server.onclose = () => {
    logger.error('a message was too long: the input can no longer be read');
    onEnd(1);
  };
  // The client reads no more.
  process.stdout.on('error', () => onEnd(0));
}
