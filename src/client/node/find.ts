import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolvePaths } from '../../config/paths.js';
import type { ServiceFacts } from '../../contract/service-facts.js';
import { NoServiceError } from '../errors.js';
import { current, type Provided } from '../provided.js';
import type { Location } from './http-transport.js';

/** Where to look for the service. */
export interface FindOptions {
  /** Origin of the API, for a service on another machine or port; a function is called for each request. */
  url?: Provided<string | undefined>;
  /** Path of the unix socket of the API. */
  socketPath?: string | undefined;
  env?: NodeJS.ProcessEnv;
}

/**
 * Returns a function that returns where the service listens: from the options, else from AUTO_TERMINAL_API_URL, else
 * from the file of this user's running service, or its socket, looked for anew if `isLost`. That function throws NoServiceError if
 * there is neither.
 */
export function serviceFinder({
  url,
  socketPath,
  env = process.env,
}: FindOptions): (isLost: boolean) => Location {
  let facts: Facts | undefined;
  return (isLost) => {
    const named = current(url);
    if (socketPath !== undefined) return { url: named ?? 'http://localhost', socketPath };
    // Shells and compose files leave a variable unset by making it empty.
    const given = named ?? (env.AUTO_TERMINAL_API_URL || undefined);
    if (given !== undefined) return { url: given };
    if (isLost || !facts) facts = readFacts(env);
    return { url: facts.url, socketPath: facts.socket ?? undefined };
  };
}

type Facts = Pick<ServiceFacts, 'url' | 'socket'>;

/**
 * Returns the facts that this user's running service has written down. Where it could not write them, as on a full disk,
 * its socket is there all the same. Throws NoServiceError if none runs.
 */
function readFacts(env: NodeJS.ProcessEnv): Facts {
  const { serviceFile, apiSocket } = resolvePaths({ env, platform: process.platform, tmpFolder: tmpdir() });
  try {
    return JSON.parse(readFileSync(serviceFile, 'utf8')) as ServiceFacts;
  } catch (cause) {
    if (apiSocket !== undefined && existsSync(apiSocket))
      return { url: 'http://localhost', socket: apiSocket };
    throw new NoServiceError('No service runs', { cause });
  }
}
