import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { CALL_DEADLINE_MS, MAX_HOST_LOG_FILE_BYTES } from '../../contract/limits.js';
import { HostConnection, HostUnreachable } from './host-client.js';

export interface StartHostOptions {
  socketPath: string;
  /** Gets what the host logs. */
  logFile: string;
  /** On a disk: where the host opens a file that has no name. */
  spillFolder: string;
  /** Of the service that connects. */
  instanceId: string;
  /** Milliseconds that terminals outlive their service. */
  orphanMs: number;
  /** The compiled pty-host/main.js. */
  entry: URL;
  /** For tests: milliseconds after which an unused host ends itself. */
  idleMs?: number;
}

/** A host that is just ending itself, or a start that lost a race, is worth another try. */
const ATTEMPTS = 3;

/**
 * Keeps the process small: a fork is slower the more memory it has to share. What is read from PTYs counts as memory
 * outside of the heap, and for each 64 MiB of it V8 would mark the heap in the background, for a tenth of a second.
 */
const NODE_FLAGS = ['--max-semi-space-size=2', '--no-incremental-marking'];

/** Descriptor of the pipe whose end says that the host listens. */
const READY_FD = 3;

/**
 * Connects to the host of this socket as its service, and starts one when there is none. Rejects with HostBusy,
 * HostProtocolMismatch, or HostUnreachable when a host can not be started (its log file says why).
 */
export async function connectOrStartHost(
  options: StartHostOptions,
): Promise<{ host: HostConnection; started: boolean }> {
  const { socketPath, instanceId, orphanMs } = options;
  for (let attempt = 1, started = false; ; attempt += 1) {
    try {
      const host = await HostConnection.connect(socketPath, { role: 'service', instanceId, orphanMs });
      return { host, started };
    } catch (error) {
      if (!(error instanceof HostUnreachable)) throw error;
      if (attempt > ATTEMPTS) {
        throw new HostUnreachable(`no pty host could be started, see ${options.logFile}`, { cause: error });
      }
    }
    started = await startHost(options);
  }
}

/** Resolves when the host listens (true), or has ended or taken too long (false). */
async function startHost(options: StartHostOptions): Promise<boolean> {
  const places = ['--socket', options.socketPath, '--spill-folder', options.spillFolder];
  const args = [...places, '--orphan-ms', String(options.orphanMs)];
  if (options.idleMs !== undefined) args.push('--idle-ms', String(options.idleMs));
  const log = openLog(options.logFile);
  let child: ChildProcess;
  try {
    child = spawn(
      process.execPath,
      [...NODE_FLAGS, fileURLToPath(options.entry), ...args, '--ready-fd', String(READY_FD)],
      // A session of its own and nothing of the service's: it lives on when the service is killed.
      { detached: true, cwd: '/', stdio: ['ignore', log, log, 'pipe'] },
    );
  } finally {
    closeSync(log);
  }
  const ready = await listens(child, child.stdio[READY_FD] as Readable);
  child.unref();
  return ready;
}

function listens(child: ChildProcess, pipe: Readable): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (ready: boolean) => {
      clearTimeout(deadline);
      pipe.destroy();
      resolve(ready);
    };
    const deadline = setTimeout(() => settle(false), CALL_DEADLINE_MS);
    pipe.once('data', () => settle(true));
    // Closed without a word: another host was first, or this one could not start.
    pipe.once('close', () => settle(false));
    child.once('error', () => settle(false));
  });
}

function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const tooLong = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_HOST_LOG_FILE_BYTES;
  const { O_WRONLY, O_CREAT, O_NONBLOCK, O_TRUNC, O_APPEND } = constants;
  // To open a FIFO would wait for good without O_NONBLOCK, which files do not know; like this it fails.
  return openSync(path, O_WRONLY | O_CREAT | (O_NONBLOCK ?? 0) | (tooLong ? O_TRUNC : O_APPEND), 0o600);
}
