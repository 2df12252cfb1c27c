import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { HostFeature } from '../../../contract/host-greeting.js';
import { CALL_DEADLINE_MS, MAX_HOST_LOG_FILE_BYTES } from '../../../contract/limits.js';
import { isOlder, VERSION } from '../../../contract/version.js';
import { HostConnection, HostUnreachable } from './host-client.js';
import { type HostPlaces, hostArguments, hostProgram } from './host-command.js';
import { startHostUnit } from './start-unit.js';

export interface StartHostOptions extends HostPlaces {
  /** File that receives the host's log. */
  logFile: string;
  /** Id of the service that connects. */
  instanceId: string;
  /** Milliseconds that terminals outlive their service. */
  orphanMs: number;
  /** URL of the compiled pty-host/main.js. */
  entry: URL;
  /** The systemd unit of the host of these places, if there is one: the host is then started as the unit, never as a child. */
  unit?: string | undefined;
  /** For tests: milliseconds after which an unused host ends itself. */
  idleMs?: number;
}

/** How the service came to its host. */
export interface ConnectedHost {
  host: HostConnection;
  /** Whether the host was started for this. */
  started: boolean;
  /** Set for a host of an older release: that release, and if the host was not renewed, the reason. */
  renewed?: { from: string | undefined; fault?: string };
}

/** Number of starts that are tried, since a host may just be ending itself, or a start may lose a race. */
const ATTEMPTS = 3;

/** Descriptor of the pipe on which the host reports that it listens. */
const READY_FD = 3;

/**
 * Connects to the host of this socket as its service, and starts a host if there is none. A host of an older release is
 * renewed if it can be. Rejects with HostBusy, HostProtocolMismatch, or HostUnreachable when no host can be started (its
 * log file says why).
 */
export async function connectOrStartHost(options: StartHostOptions): Promise<ConnectedHost> {
  const { host, started } = await connected(options);
  const from = host.hostVersion;
  if (started || !isOlder(from, VERSION)) return { host, started };
  if (!host.features.has('renew' satisfies HostFeature))
    return { host, started, renewed: { from, fault: 'it cannot renew itself' } };
  try {
    await host.renew(process.execPath, hostProgram(fileURLToPath(options.entry)));
  } catch (error) {
    return {
      host,
      started,
      renewed: { from, fault: error instanceof Error ? error.message : String(error) },
    };
  }
  return { ...(await connected(options)), renewed: { from } };
}

async function connected(options: StartHostOptions): Promise<Pick<ConnectedHost, 'host' | 'started'>> {
  const { socketPath, instanceId, orphanMs } = options;
  for (let attempt = 1, started = false; ; attempt += 1) {
    try {
      const host = await HostConnection.connect(socketPath, { role: 'service', instanceId, orphanMs });
      return { host, started };
    } catch (error) {
      if (!(error instanceof HostUnreachable)) throw error;
      if (attempt > ATTEMPTS) {
        const log = options.unit === undefined ? options.logFile : `journalctl --user-unit ${options.unit}`;
        throw new HostUnreachable(`the pty host could not be started; see ${log}`, { cause: error });
      }
    }
    started = await startHost(options);
  }
}

/** Resolves with true when the host listens, and with false when it has ended or taken too long. */
async function startHost(options: StartHostOptions): Promise<boolean> {
  if (options.unit !== undefined) return startHostUnit(options.unit, options.socketPath);
  const args = ['--orphan-ms', String(options.orphanMs)];
  if (options.idleMs !== undefined) args.push('--idle-ms', String(options.idleMs));
  const log = openLog(options.logFile);
  let child: ChildProcess;
  try {
    child = spawn(
      process.execPath,
      [...hostArguments(fileURLToPath(options.entry), options), ...args, '--ready-fd', String(READY_FD)],
      // In its own session, with nothing of the service's, so that the host survives when the service is killed.
      { detached: true, cwd: '/', stdio: ['ignore', log, log, 'pipe'] },
    );
  } finally {
    closeSync(log);
  }
  const ready = await listens(child);
  child.unref();
  return ready;
}

function listens(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    // Without descriptors for pipes, the child has none, and its event `error` follows.
    const pipe = (child.stdio as typeof child.stdio | undefined)?.[READY_FD] as Readable | undefined;
    const settle = (ready: boolean) => {
      clearTimeout(deadline);
      pipe?.destroy();
      resolve(ready);
    };
    const deadline = setTimeout(() => settle(false), CALL_DEADLINE_MS);
    pipe?.once('data', () => settle(true));
    // Closed without data: another host was first, or this one could not start.
    pipe?.once('close', () => settle(false));
    child.once('error', () => settle(false));
  });
}

function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const tooLong = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_HOST_LOG_FILE_BYTES;
  const { O_WRONLY, O_CREAT, O_NONBLOCK, O_TRUNC, O_APPEND } = constants;
  // Without O_NONBLOCK, opening a FIFO would block forever; with it, opening fails. Files ignore the flag.
  return openSync(path, O_WRONLY | O_CREAT | (O_NONBLOCK ?? 0) | (tooLong ? O_TRUNC : O_APPEND), 0o600);
}
