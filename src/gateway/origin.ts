import type { FastifyRequest } from 'fastify';
import { CLIENT_HEADER } from '../contract/headers.js';

/** Who asks, as a new terminal's `mode` and `lastInputSource` show it: the tool server says so, all else is `api`. */
export function originOf({ headers }: Pick<FastifyRequest, 'headers'>): 'api' | 'mcp' {
  return headers[CLIENT_HEADER] === 'mcp' ? 'mcp' : 'api';
}
