import type { FastifyRequest } from 'fastify';
import { CLIENT_HEADER } from '../contract/headers.js';
import type { InputOrigin, TerminalMode } from '../contract/terminal.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request came through the listener of the dashboard, so a person has caused it. */
    readonly isFromDashboard: boolean;
  }
}

type Sender = Pick<FastifyRequest, 'headers' | 'isFromDashboard'>;

/**
 * Returns who sent the request, for `lastInputSource`: `mcp` if the tool server's header says so, else `user` on the
 * listener of the dashboard, else `api`.
 */
export function originOf({ headers, isFromDashboard }: Sender): InputOrigin {
  if (headers[CLIENT_HEADER] === 'mcp') return 'mcp';
  return isFromDashboard ? 'user' : 'api';
}

/** Returns who sent the request, for a new terminal's `mode`. */
export function modeOf(request: Sender): TerminalMode {
  const origin = originOf(request);
  return origin === 'user' ? 'ui' : origin;
}
