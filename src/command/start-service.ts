import { spawn } from 'node:child_process';
import { fstatSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { NoServiceError } from '../client/index.js';
import { resolvePaths } from '../config/paths.js';
import type { CommonOptions, Context } from './context.js';
import { CommandError, EXIT } from './exit-codes.js';
import { CLI, SERVICE_FLAGS } from './programs.js';
import type { ServiceStart, Started } from './service-start.js';

/** Environment variable by which a user says that no service is to be started. */
const NO_AUTOSTART = 'AUTO_TERMINAL_NO_AUTOSTART';

/** Time for which a service that was started is waited for. */
const START_MS = 30_000;
const POLL_MS = 50;

/** Part of the message with which a service ends if another service of this user runs, or is starting. */
const OTHER_SERVICE = 'serves another service';

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
  await startService(context, options);
}

/**
 * Starts the service of this user in the background, with these arguments. A service that is installed is started by its
 * service manager. Resolves once the service answers.
 */
export async function startService(
  context: Context,
  options: CommonOptions,
  args: readonly string[] = [],
): Promise<void> {
  // Loaded here, since most starts of a verb find a service that runs.
  const { managedStart, withoutManager } = await import('./service/managed-start.js');
  const managed = await managedStart(context, args);
  const { dataFolder } = resolvePaths({ env: context.env, platform: process.platform, tmpFolder: tmpdir() });
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  // Two services that start at once for the first time would write the same files.
  const lock = join(dataFolder, 'starting');
  const isOurs = take(lock);
  try {
    const start =
      managed ?? detachedStart(context.env, join(dataFolder, 'service.log'), withoutManager(args));
    await started(context, options, isOurs ? start : { ...start, begin: () => STARTED_BY_OTHERS });
  } catch (error) {
    // Also if it is another command's: its process may be gone, and its number another program's.
    rmSync(lock, { force: true });
    throw error;
  }
  if (isOurs) rmSync(lock, { force: true });
}

/** Begins a start, and resolves once the service answers. */
async function started(
  context: Context,
  options: CommonOptions,
  { log, advice, begin }: ServiceStart,
): Promise<void> {
  const client = context.client(options);
  const { hasEnded, written } = await begin();
  context.say(`Starting the service; ${log}`);
  const patience = AbortSignal.timeout(START_MS);
  while (!patience.aborted && (!(await hasEnded()) || (await written()).includes(OTHER_SERVICE))) {
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
  const silent = patience.aborted ? 'it did not answer in time' : 'it has ended';
  const reason = (await written()).trim().split('\n').at(-1) || silent;
  throw new CommandError(EXIT.noService, 'no-service', `The service did not start: ${reason}`, advice);
}

const STARTED_BY_OTHERS: Started = { hasEnded: () => false, written: () => '' };

/** Takes the lock for starting the service; returns false if another command has it. */
function take(lock: string): boolean {
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, String(process.pid), { mode: 0o600 });
  try {
    // Fails if it exists, and is never there without its content.
    linkSync(own, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own);
  }
  if (isAlive(lock)) return false;
  // It was killed while it waited for its service.
  rmSync(lock, { force: true });
  return take(lock);
}

function isAlive(lock: string): boolean {
  try {
    return process.kill(Number(readFileSync(lock, 'utf8')), 0);
  } catch {
    return false;
  }
}

/** Starts a service that outlives this process. Its log has what it says when it cannot start. */
function detachedStart(env: NodeJS.ProcessEnv, log: string, args: readonly string[]): ServiceStart {
  const begin = (): Started => {
    const file = openSync(log, 'a', 0o600);
    const begun = fstatSync(file).size;
    const child = spawn(process.execPath, [...SERVICE_FLAGS, CLI, ...args], {
      detached: true,
      cwd: '/',
      env,
      stdio: ['ignore', file, file],
    });
    child.unref();
    return {
      hasEnded: () => child.exitCode !== null || child.signalCode !== null,
      written: () => readFileSync(log).subarray(begun).toString(),
    };
  };
  return { log: `it logs to ${log}`, advice: `Look into ${log}`, begin };
}
