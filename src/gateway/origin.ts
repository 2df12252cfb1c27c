import type { FastifyRequest } from 'fastify';
import { CLIENT_HEADER } from '../contract/headers.js';
import type { InputOrigin, TerminalMode } from '../contract/terminal.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the request came through the listener of the dashboard, so that a person has caused it. */
    readonly isFromDashboard: boolean;
    /** The machine of the fleet that this service runs the request for. */
    readonly fromMachine?: string | undefined;
    /** Whether it is answered without knowing who sent it: it was refused before that, or its route is open to anybody. */
    isStrange: boolean;
  }
}

type Sender = Pick<FastifyRequest, 'headers' | 'isFromDashboard' | 'fromMachine'>;

/**
 * Returns the kind of sender, for `lastInputSource`: `fleet` for another machine, `mcp` if the tool server's header says
 * so, else `user` on the listener of the dashboard, else `api`.
 */
export function originOf({ headers, isFromDashboard, fromMachine }: Sender): InputOrigin {
  if (fromMachine !== undefined) return 'fleet';
  if (headers[CLIENT_HEADER] === 'mcp') return 'mcp';
  return isFromDashboard ? 'user' : 'api';
}

/** Returns the kind of sender, for a new terminal's `mode`. */
export function modeOf(request: Sender): TerminalMode {
  const origin = originOf(request);
  return origin === 'user' ? 'ui' : origin;
}
