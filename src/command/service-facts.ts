import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { ServiceFacts } from '../client/index.js';
import { resolvePaths } from '../config/paths.js';

/** Returns what the service of this user has written down; undefined if none has, or if it has ended since. */
export function serviceFacts(env: NodeJS.ProcessEnv): ServiceFacts | undefined {
  const { serviceFile } = resolvePaths({ env, platform: process.platform, tmpFolder: tmpdir() });
  try {
    return JSON.parse(readFileSync(serviceFile, 'utf8')) as ServiceFacts;
  } catch {
    // No service of this user runs here.
    return undefined;
  }
}
