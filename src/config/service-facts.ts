import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { ServiceFacts } from '../contract/service-facts.js';
import { resolvePaths } from './paths.js';

/**
 * Returns the facts that this user's service has written down; undefined if there are none, or if the service has ended
 * since.
 */
export function serviceFacts(env: NodeJS.ProcessEnv): ServiceFacts | undefined {
  const { serviceFile } = resolvePaths({ env, platform: process.platform, tmpFolder: tmpdir() });
  try {
    return JSON.parse(readFileSync(serviceFile, 'utf8')) as ServiceFacts;
  } catch {
    // No service of this user runs here.
    return undefined;
  }
}
