import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostConnection } from '#dist/workers/pty-host/host-client.js';
import { connectOrStartHost } from '#dist/workers/pty-host/start-host.js';
import type { RestoreState, TerminalSink } from '#dist/workers/pty-host/terminal-sink.js';
import { onTmux } from '../support/backend.js';
import { eventually, isListenedOnIn, processInfo } from '../support/processes.js';
import { programOnPath } from '../support/program-on-path.js';
import { TmuxByHand } from '../support/tmux-by-hand.js';

/** What a terminal's program exited with. */
export type Exit = Parameters<TerminalSink['exited']>[0];

const TMUX_SOCKET = 'auto-terminal-test';

/** Where those terminals of a rig live that live in tmux. */
export const TMUX_HOME = { file: programOnPath('tmux'), socketName: TMUX_SOCKET, historyLimit: 1_000 };

interface RunOptions {
  cols?: number;
  rows?: number;
  /** In tmux, or on a PTY of the host's own; by itself, on what these tests run on. */
  tmux?: boolean;
  /** Lines of scrollback that tmux keeps. */
  historyLimit?: number;
}

const ENTRY = new URL(import.meta.resolve('#dist/workers/pty-host/main.js'));

/** A pty host of a test's own, in a folder of its own. */
export class Rig {
  readonly folder: string;
  readonly socketPath: string;
  readonly host: HostConnection;
  /** The tmux of its terminals, as somebody at a prompt calls it. */
  readonly tmux: TmuxByHand;
  readonly #connections: HostConnection[] = [];

  private constructor(folder: string, host: HostConnection) {
    this.folder = folder;
    this.socketPath = socketIn(folder);
    this.host = host;
    this.tmux = new TmuxByHand(folder, TMUX_SOCKET);
  }

  static async start(options: { orphanMs?: number; idleMs?: number } = {}): Promise<Rig> {
    const folder = await mkdtemp(join(tmpdir(), 'pty-host-'));
    const { host } = await startIn(folder, options);
    return new Rig(folder, host);
  }

  /** Another connection, closed at the end. */
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

  /** Where its terminals live, as a request to spawn says it. */
  get place() {
    return onTmux ? { tmux: TMUX_HOME } : {};
  }

  spawn(file: string, args: string[] = [], options: RunOptions = {}) {
    const env = { PATH: process.env.PATH ?? '', TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' };
    const { cols = 80, rows = 24, tmux = onTmux, historyLimit = TMUX_HOME.historyLimit } = options;
    const program = { file, args, env, cwd: this.folder, cols, rows };
    const id = `term_${randomUUID().slice(0, 12)}`;
    return this.host.spawn({
      ...program,
      id,
      meta: '',
      ...(tmux && { tmux: { ...TMUX_HOME, historyLimit } }),
    });
  }

  /** Ends the host with all it runs; it must really end. */
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
  // The host inherits it: the sockets of tmux go with the folder.
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

/** `stty` and the like need a terminal; this tells one's size. */
export function windowSizeOf(pid: number): string {
  return execFileSync('stty', ['-F', `/proc/${pid}/fd/0`, 'size'], { encoding: 'utf8' }).trim();
}

const CHECKPOINT_EVERY = 256 * 1024;

/** Collects one terminal's stream, confirming and checkpointing what it got unless told to hold back. */
export class Collector implements TerminalSink {
  readonly chunks: Buffer[] = [];
  /** Everything but output, in order, with the position it came at. */
  readonly events: { at: number; what: string }[] = [];
  restored: RestoreState | null = null;
  position = 0;
  exit: Exit | null = null;
  asked = 0;
  gone = false;
  /** Neither confirms nor checkpoints. */
  holding = false;
  /** Checkpoints when asked only. */
  lazy = false;
  #saved = 0;
  #size = { cols: 0, rows: 0 };
  #connection: HostConnection | null = null;
  #handle = 0;
  #waiting: { condition: () => boolean; resolve: () => void }[] = [];

  attach(connection: HostConnection, handle: number): void {
    this.#connection = connection;
    this.#handle = handle;
    connection.attach(handle, this);
  }

  /** Takes in what came so far: the host may go on. */
  release(): void {
    this.holding = false;
    this.#connection?.confirm(this.#handle, this.position);
    this.#checkpoint();
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  /** Resolves when the condition holds after something came. */
  until(what: string, condition: () => boolean, deadlineMs = 20_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const seen = `at ${this.position}, ${JSON.stringify(this.text.slice(-200))}`;
        reject(new Error(`not within ${deadlineMs} ms: ${what} (${seen})`));
      }, deadlineMs);
      this.#waiting.push({
        condition,
        resolve: () => {
          clearTimeout(timer);
          resolve();
        },
      });
      this.#check();
    });
  }

  exited(exit: Exit): void {
    this.exit = exit;
    this.#event(`exit ${exit.signal ?? exit.exitCode}`);
  }

  /** Resolves with how the program ended, after its last output. */
  async end(): Promise<Exit> {
    await this.until('exit', () => this.exit !== null);
    return this.exit!;
  }

  restore(state: RestoreState): void {
    this.restored = state;
    this.position = state.position;
    this.#saved = state.position;
    this.#size = { cols: state.cols, rows: state.rows };
    this.#event(`restore ${state.cols}x${state.rows}`);
  }

  output(bytes: Buffer): void {
    this.chunks.push(bytes);
    this.position += bytes.length;
    if (!this.holding) {
      this.#connection?.confirm(this.#handle, this.position);
      if (!this.lazy && this.position - this.#saved >= CHECKPOINT_EVERY) this.#checkpoint();
    }
    this.#check();
  }

  resized(cols: number, rows: number): void {
    this.#size = { cols, rows };
    this.#event(`resize ${cols}x${rows}`);
  }

  checkpointWanted(): void {
    this.asked += 1;
    if (!this.holding) this.#checkpoint();
    this.#check();
  }

  detached(): void {
    this.gone = true;
    this.#check();
  }

  #checkpoint(): void {
    this.#saved = this.position;
    const bytes = Buffer.from(`checkpoint at ${this.position}`);
    this.#connection?.checkpoint(this.#handle, { position: this.position, ...this.#size, bytes });
  }

  #event(what: string): void {
    this.events.push({ at: this.position, what });
    this.#check();
  }

  #check(): void {
    const met = this.#waiting.filter(({ condition }) => condition());
    this.#waiting = this.#waiting.filter((waiting) => !met.includes(waiting));
    for (const { resolve } of met) resolve();
  }
}
