import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NoServiceError } from '../client/index.js';
import { resolvePaths } from '../config/paths.js';
import type { CommonOptions, Context } from './context.js';
import { CommandError, EXIT } from './exit-codes.js';

const CLI = fileURLToPath(new URL('../cli.js', import.meta.url));

/** Environment variable by which a user says that no service is to be started. */
const NO_AUTOSTART = 'AUTO_TERMINAL_NO_AUTOSTART';

/** Time for which a service that was started is waited for. */
const START_MS = 30_000;
const POLL_MS = 50;

/**
 * Starts the service of this user in the background if none runs, and resolves once it answers. Does nothing if the
 * options or the environment name another service.
 */
export async function ensureService(context: Context, options: CommonOptions): Promise<void> {
  const client = context.client(options);
  try {
    await client.health({ signal: context.signal });
    return;
  } catch (error) {
    const isNamed = options.url ?? options.socket ?? context.env.AUTO_TERMINAL_API_URL;
    if (!(error instanceof NoServiceError) || isNamed !== undefined || context.env[NO_AUTOSTART]) throw error;
  }
  const { log, hasEnded } = startDetached(context.env);
  context.say(`Starting the service; it logs to ${log}`);
  const patience = AbortSignal.timeout(START_MS);
  while (!patience.aborted && !hasEnded()) {
    await delay(POLL_MS, undefined, { signal: context.signal });
    const isThere = await client.health({ signal: context.signal }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof NoServiceError) return false;
        throw error;
      },
    );
    if (isThere) return;
  }
  const [reason = 'it did not answer in time'] = readFileSync(log, 'utf8').trim().split('\n').slice(-1);
  throw new CommandError(
    EXIT.noService,
    'no-service',
    `The service did not start: ${reason}`,
    `Look into ${log}`,
  );
}

/** Starts a service that outlives this process. Its log has what it says when it cannot start. */
function startDetached(env: NodeJS.ProcessEnv): { log: string; hasEnded: () => boolean } {
  const { dataFolder } = resolvePaths({ env, platform: process.platform, tmpFolder: tmpdir() });
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const log = join(dataFolder, 'service.log');
  const file = openSync(log, 'a', 0o600);
  const child = spawn(process.execPath, [CLI], {
    detached: true,
    cwd: '/',
    env,
    stdio: ['ignore', file, file],
  });
  child.unref();
  return { log, hasEnded: () => child.exitCode !== null || child.signalCode !== null };
}
