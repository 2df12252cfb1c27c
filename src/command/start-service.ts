import { spawn } from 'node:child_process';
import { fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { NoServiceError } from '../client/index.js';
import { resolvePaths } from '../config/paths.js';
import { makePrivateFolder } from '../config/private-folder.js';
import { serviceFacts } from '../config/service-facts.js';
import { StartLock } from '../config/start-lock.js';
import { APP_NAME } from '../contract/version.js';
import { type CommonOptions, type Context, urlIn } from './context.js';
import { CommandError, EXIT } from './exit-codes.js';
import { CLI, SERVICE_FLAGS } from './programs.js';
import { isRunning } from './running.js';
import type { ServiceStart, Started } from './service-start.js';

/** Environment variable by which a user keeps verbs from starting a service. */
const NO_AUTOSTART = 'AUTO_TERMINAL_NO_AUTOSTART';

/** Longest wait for a started service to answer. */
const START_MS = 30_000;
const POLL_MS = 50;

/** Size above which a start renames the log to `service.log.old`, which replaces an earlier one. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;

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
    const isNamed = options.url ?? options.socket ?? urlIn(context.env);
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
  await makePrivateFolder(dataFolder);
  // Two services that start at once for the first time would write the same files.
  const lock = new StartLock(dataFolder);
  const isOurs = lock.take();
  try {
    const own = managed ?? detachedStart(context.env, join(dataFolder, 'service.log'), withoutManager(args));
    await started(context, options, isOurs ? own : { ...own, begin: () => startOfOthers(lock) });
  } catch (error) {
    // Drops even another process's lock: that process may be gone, and its pid reused. A person who does not wait any longer
    // says nothing about it.
    if (isOurs || !context.signal.aborted) lock.drop();
    throw error;
  }
  lock.release();
}

/** Begins a start, and resolves once the service answers. */
async function started(
  context: Context,
  options: CommonOptions,
  { log, advice, begin }: ServiceStart,
): Promise<void> {
  const client = context.client(options);
  const start = await begin();
  context.say(`Starting the service; ${log}`);
  const patience = AbortSignal.timeout(START_MS);
  let isOver = false;
  while (!isOver) {
    // Checked before the service is: a start process that has ended may have succeeded.
    isOver =
      patience.aborted || ((await start.hasEnded()) && !(await start.written()).includes(OTHER_SERVICE));
    const isThere = await client.health({ signal: context.signal }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof NoServiceError) return false;
        throw error;
      },
    );
    // The file may still name a service that was killed: the new one answers before it has written its own number.
    const pid = isThere ? serviceFacts(context.env)?.pid : undefined;
    if (pid !== undefined && isRunning(pid)) {
      // Another service answers, started by another command or by a user. Ours would take over as soon as that service
      // is stopped.
      if (pid !== start.pid) start.giveUp?.();
      return;
    }
    if (isThere && isOver && start.pid !== undefined && isRunning(start.pid)) {
      context.say('The service answers, but cannot write down where it is, as on a full disk');
      return;
    }
    if (!isOver) await delay(POLL_MS, undefined, { signal: context.signal });
  }
  const silent = patience.aborted ? 'it did not answer in time' : 'it has ended';
  const reason = wordsOf((await start.written()).trim().split('\n').at(-1) ?? '') || silent;
  throw new CommandError(EXIT.noService, 'no-service', `The service did not start: ${reason}`, advice);
}

/** Returns what the last line of a log says: of a fault that nobody expected, its message without the stack. */
function wordsOf(line: string): string {
  try {
    const { err } = JSON.parse(line) as { err?: { message?: unknown } };
    return typeof err?.message === 'string' ? err.message : line;
  } catch {
    // The report names the program itself.
    return line.replace(new RegExp(`^${APP_NAME}: `), '');
  }
}

/**
 * The start of a service that another process begins. The start is over once that process has given the lock back, or
 * is gone.
 */
function startOfOthers(lock: StartLock): Started {
  return { hasEnded: () => !lock.isHeld(), written: () => '' };
}

/** Starts a service that outlives this process. Its log has the reason if it cannot start. */
function detachedStart(env: NodeJS.ProcessEnv, log: string, args: readonly string[]): ServiceStart {
  const begin = (): Started => {
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(log, `${log}.old`);
    const file = openSync(log, 'a', 0o600);
    const begun = fstatSync(file).size;
    const child = spawn(process.execPath, [...SERVICE_FLAGS, CLI, ...args], {
      detached: true,
      cwd: '/',
      // A relative folder is resolved here, since the service runs in `/`.
      env: { ...env, ...(env.AUTO_TERMINAL_HOME && { AUTO_TERMINAL_HOME: resolve(env.AUTO_TERMINAL_HOME) }) },
      stdio: ['ignore', file, file],
    });
    child.unref();
    return {
      pid: child.pid,
      // However far the start has come, this closes no terminal.
      giveUp: () => child.kill('SIGUSR2'),
      hasEnded: () => child.exitCode !== null || child.signalCode !== null,
      written: () => readFileSync(log).subarray(begun).toString(),
    };
  };
  return { log: `it logs to ${log}`, advice: `Look into ${log}`, begin };
}
