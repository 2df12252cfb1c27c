import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TerminalLimits } from '#dist/contract/terminal-limits.js';
import { HostConnection, type SpawnRequest } from '#dist/workers/pty-host/client/host-client.js';
import { connectOrStartHost } from '#dist/workers/pty-host/client/start-host.js';
import { onTmux } from '../support/backend.js';
import { eventually, isListenedOnIn, processInfo } from '../support/processes.js';
import { programOnPath } from '../support/program-on-path.js';
import { TmuxByHand } from '../support/tmux-by-hand.js';
import { Collector } from './collector.js';

export { Collector } from './collector.js';

const TMUX_SOCKET = 'auto-terminal-test';

/** The tmux in which a rig's terminals run. */
export const TMUX_HOME = { file: programOnPath('tmux'), socketName: TMUX_SOCKET, historyLimit: 1_000 };

interface RunOptions {
  cols?: number;
  rows?: number;
  /** Whether the terminal runs in tmux, and not on a PTY of the host; defaults to the backend of these tests. */
  tmux?: boolean;
  nice?: number;
  limits?: TerminalLimits;
  /** Variables in addition to those of every program. */
  env?: Record<string, string>;
  /** Lines of scrollback that tmux keeps. */
  historyLimit?: number;
}

const ENTRY = new URL(import.meta.resolve('#dist/workers/pty-host/main.js'));

/** A pty host for one test, in its own folder. */
export class Rig {
  readonly folder: string;
  readonly socketPath: string;
  host: HostConnection;
  /** The tmux of the rig's terminals, for commands as a user would type them at a prompt. */
  readonly tmux: TmuxByHand;
  readonly #connections: HostConnection[] = [];
  #callDeadlineMs: number | undefined;

  private constructor(folder: string, host: HostConnection) {
    this.folder = folder;
    this.socketPath = socketIn(folder);
    this.host = host;
    this.tmux = new TmuxByHand(folder, TMUX_SOCKET);
  }

  static async start(
    options: { orphanMs?: number; idleMs?: number; callDeadlineMs?: number } = {},
  ): Promise<Rig> {
    const folder = await mkdtemp(join(tmpdir(), 'pty-host-'));
    const { host } = await startIn(folder, options);
    const rig = new Rig(folder, host);
    rig.#callDeadlineMs = options.callDeadlineMs;
    if (options.callDeadlineMs === undefined) return rig;
    host.close();
    await eventually('the place is free', () =>
      rig.reconnect().then(
        () => true,
        () => false,
      ),
    );
    return rig;
  }

  /** Connects as the successor of a service that has gone. */
  async reconnect(): Promise<void> {
    const hello = { role: 'service', instanceId: 'next' } as const;
    this.host = await HostConnection.connect(this.socketPath, hello, this.#callDeadlineMs);
  }

  /** Opens another connection, which `end` closes. */
  async connect(role: 'service' | 'shard' = 'shard', instanceId = 'test'): Promise<HostConnection> {
    const connection = await HostConnection.connect(this.socketPath, { role, instanceId });
    this.#connections.push(connection);
    return connection;
  }

  /** Runs a shell script on a terminal; `sink` collects its output. */
  async run(script: string, options: RunOptions & { sink?: Collector } = {}) {
    const spawned = await this.spawn('/bin/sh', ['-c', script], options);
    const sink = options.sink ?? new Collector();
    sink.attach(this.host, spawned.handle);
    return { ...spawned, sink };
  }

  /** The backend of the rig's terminals, as a spawn request states it. */
  get place() {
    return onTmux ? { tmux: TMUX_HOME } : {};
  }

  spawn(file: string, args: string[] = [], options: RunOptions = {}) {
    return this.host.spawn(this.program(file, args, options));
  }

  /** A request for a terminal with this program. */
  program(file: string, args: string[] = [], options: RunOptions = {}): SpawnRequest {
    const { cols = 80, rows = 24, nice = 0, tmux = onTmux, historyLimit = TMUX_HOME.historyLimit } = options;
    const env = { PATH: process.env.PATH ?? '', TERM: 'xterm-256color', LC_ALL: 'C.UTF-8', ...options.env };
    const { limits } = options;
    const id = `term_${randomUUID().slice(0, 12)}`;
    const place = tmux && { tmux: { ...TMUX_HOME, historyLimit } };
    return {
      id,
      file,
      args,
      env,
      cwd: this.folder,
      cols,
      rows,
      nice,
      meta: '',
      ...place,
      ...(limits && { limits }),
    };
  }

  /** Ends the host with everything that it runs, and waits until the host has really ended. */
  async end(): Promise<void> {
    const pid = this.host.hostPid;
    for (const connection of this.#connections) connection.close();
    if (isAlive(pid)) {
      process.kill(pid, 'SIGTERM');
      await eventually('the host has ended', () => !isAlive(pid));
    }
    await eventually('nobody serves its sockets', () => !isListenedOnIn(this.folder));
    this.host.close();
    await rm(this.folder, { recursive: true });
  }
}

export function startIn(folder: string, options: { orphanMs?: number; idleMs?: number } = {}) {
  // The host inherits this variable, so tmux's sockets are removed with the folder.
  process.env.TMUX_TMPDIR = folder;
  return connectOrStartHost({
    socketPath: socketIn(folder),
    logFile: join(folder, 'host.log'),
    spillFolder: folder,
    instanceId: 'first',
    orphanMs: options.orphanMs ?? 60_000,
    ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
    entry: ENTRY,
  });
}

function socketIn(folder: string): string {
  return join(folder, 'run', 'host.sock');
}

/** Whether a process exists and is no zombie. */
export function isAlive(pid: number): boolean {
  const state = processInfo(pid)?.state;
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** Returns the size of a process's terminal as `rows cols`; `stty` and similar programs need a size. */
export function windowSizeOf(pid: number): string {
  return execFileSync('stty', ['-F', `/proc/${pid}/fd/0`, 'size'], { encoding: 'utf8' }).trim();
}
