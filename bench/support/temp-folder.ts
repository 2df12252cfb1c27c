import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from './cleanup.js';

/** Creates a folder, which is removed when the case ends. */
export function tempFolder(cleanup: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'at-bench-'));
  cleanup.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
