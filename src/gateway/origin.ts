import type { FastifyRequest } from 'fastify';
import { CLIENT_HEADER } from '../contract/headers.js';

/**
 * Returns who sent the request, for a new terminal's `mode` and for `lastInputSource`: `mcp` if the tool server's
 * header says so, else `api`.
 */
export function originOf({ headers }: Pick<FastifyRequest, 'headers'>): 'api' | 'mcp' {
  return headers[CLIENT_HEADER] === 'mcp' ? 'mcp' : 'api';
}
