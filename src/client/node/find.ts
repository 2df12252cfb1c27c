import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolvePaths } from '../../config/paths.js';
import type { ServiceFacts } from '../../contract/service-facts.js';
import { NoServiceError } from '../errors.js';
import type { Location } from './http-transport.js';

/** Where to look for the service. */
export interface FindOptions {
  /** Origin of the API, for a service on another machine or port. */
  url?: string | undefined;
  /** Path of the unix socket of the API. */
  socketPath?: string | undefined;
  /** The setting `network.authToken` of a service on another machine. */
  token?: string | undefined;
  env?: NodeJS.ProcessEnv;
}

/**
 * Returns where the service listens: as the options say, else as AUTO_TERMINAL_API_URL says, else as the running service
 * of this user has written down. Throws NoServiceError if it has not.
 */
export function findService({ url, socketPath, token, env = process.env }: FindOptions): Location {
  const given = { token: token ?? env.AUTO_TERMINAL_TOKEN };
  if (socketPath !== undefined) return { ...given, url: url ?? 'http://localhost', socketPath };
  const named = url ?? env.AUTO_TERMINAL_API_URL;
  if (named !== undefined) return { ...given, url: named };
  const facts = readFacts(env);
  // The socket asks for no token.
  return { ...given, url: facts.url, socketPath: facts.socket ?? undefined };
}

/** Returns what the running service of this user has written down. Throws NoServiceError if none runs. */
function readFacts(env: NodeJS.ProcessEnv): ServiceFacts {
  const { serviceFile } = resolvePaths({ env, platform: process.platform, tmpFolder: tmpdir() });
  try {
    return JSON.parse(readFileSync(serviceFile, 'utf8')) as ServiceFacts;
  } catch (cause) {
    throw new NoServiceError('No service runs', { cause });
  }
}
