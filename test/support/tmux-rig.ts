import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ControlClient } from '#dist/workers/pty-host/tmux/control-client.js';
import { quoted } from '#dist/workers/pty-host/tmux/words.js';
import { DEADLINE_MS } from './deadline.js';
import { eventually, processInfo } from './processes.js';

/** A report of a control client, or an answer that {@link TmuxRig.tell} has received. */
export type Told =
  | { kind: 'output'; pane: number; bytes: Buffer }
  | { kind: 'notice'; line: string }
  | { kind: 'closed'; reason: string }
  | { kind: 'answer'; text: string };

const SOCKET = ['-u', '-L', 'test', '-f', '/dev/null'];
const HUB = ['new-session', '-s', 'hub', '-x', '80', '-y', '24', '--', 'sleep', '1000000'];

/** tmux's messages if there is no server, or if it has just been killed. */
const NO_SERVER = /no server running|error connecting|has unsafe permissions|server exited unexpectedly/;

interface RigOptions {
  file?: string;
  /** The tmux command that the client runs; a new session by default. */
  command?: string[];
  /** More variables for its environment. */
  env?: Record<string, string>;
}

/** A tmux server with its own socket in its own folder, and a control client of it. */
export class TmuxRig {
  readonly folder: string;
  readonly told: Told[] = [];
  readonly logged: string[] = [];
  readonly client: ControlClient;
  readonly #env: Record<string, string>;
  /** The known pids of the server and of the programs in it. */
  readonly #pids = new Set<number>();

  private constructor(folder: string, { file = 'tmux', command = HUB, env = {} }: RigOptions) {
    this.folder = folder;
    const path = process.env.PATH ?? '';
    this.#env = { PATH: path, HOME: folder, TMUX_TMPDIR: folder, LC_ALL: 'C.UTF-8', ...env };
    const spec = { file, args: [...SOCKET, '-C', ...command], env: this.#env };
    this.client = new ControlClient(
      { ...spec, log: (message) => this.logged.push(message) },
      {
        output: (pane, bytes) => this.told.push({ kind: 'output', pane, bytes: Buffer.from(bytes) }),
        notice: (line) => this.told.push({ kind: 'notice', line }),
        closed: (reason) => this.told.push({ kind: 'closed', reason }),
      },
    );
    if (this.client.pid !== undefined) this.#pids.add(this.client.pid);
  }

  static async make(options: RigOptions = {}): Promise<TmuxRig> {
    return new TmuxRig(await mkdtemp(join(tmpdir(), 'tmux-rig-')), options);
  }

  /** Makes a rig with a running server; resolves with the rig and the server's pid. */
  static async start(): Promise<{ rig: TmuxRig; server: number }> {
    const rig = await TmuxRig.make();
    try {
      return { rig, server: await rig.server() };
    } catch (error) {
      await rig.end();
      throw error;
    }
  }

  /** Resolves with the server's pid. */
  async server(): Promise<number> {
    const [[pid = ''] = []] = await this.client.ask(['display-message -p "#{pid}"']);
    return this.#known(pid);
  }

  /** Runs a program in a pane that is reported to the client. */
  async run(...argv: string[]): Promise<{ pane: number; pid: number }> {
    const command = `new-window -d -t =hub: -P -F "#{pane_id} #{pane_pid}" -- ${argv.map(quoted).join(' ')}`;
    const [[line = ''] = []] = await this.client.ask([command]);
    const [pane = '', pid = ''] = line.replace('%', '').split(' ');
    return { pane: Number(pane), pid: this.#known(pid) };
  }

  /** Returns all output of a pane. */
  outputOf(pane: number): Buffer {
    return Buffer.concat(
      this.told.flatMap((told) => (told.kind === 'output' && told.pane === pane ? [told.bytes] : [])),
    );
  }

  /**
   * Returns the last output of a pane: at least `length` bytes, or all. The cost does not grow with the pane's output.
   */
  endOf(pane: number, length: number): Buffer {
    const parts: Buffer[] = [];
    let missing = length;
    for (let index = this.told.length - 1; index >= 0 && missing > 0; index -= 1) {
      const told = this.told[index]!;
      if (told.kind !== 'output' || told.pane !== pane) continue;
      parts.unshift(told.bytes);
      missing -= told.bytes.length;
    }
    return Buffer.concat(parts);
  }

  /** Runs the commands; their answers go to `told`. */
  tell(commands: string[]): void {
    this.client.run(commands, (answer) => {
      const text = 'fault' in answer ? `fault: ${answer.fault}` : answer.lines.flat().join('\n');
      this.told.push({ kind: 'answer', text });
    });
  }

  /** Returns the reports of one kind, as text. */
  words(kind: 'notice' | 'closed' | 'answer'): string[] {
    return this.told.flatMap((told) => {
      if (told.kind !== kind) return [];
      return [told.kind === 'notice' ? told.line : told.kind === 'closed' ? told.reason : told.text];
    });
  }

  closed(): Promise<void> {
    return eventually('the client has closed', () => this.words('closed').length > 0);
  }

  /** Calls tmux as a separate command, beside the client. */
  async tmux(...args: string[]): Promise<string> {
    // A stopped server never answers, hence the deadline.
    const options = { env: this.#env, timeout: DEADLINE_MS };
    const { stdout } = await promisify(execFile)('tmux', [...SOCKET, ...args], options);
    return stdout;
  }

  /**
   * Notes and returns a pid that tmux has reported. Throws if it is invalid, since a signal to it would go to the test,
   * or its whole group.
   */
  #known(text: string): number {
    const pid = Number(text);
    if (!(pid > 1)) throw new Error(`tmux tells ${JSON.stringify(text)} for a pid`);
    this.#pids.add(pid);
    return pid;
  }

  /** Ends the server and the client, if they still run; rejects unless they and all their programs really end. */
  async end(): Promise<void> {
    const left = () => [...this.#pids].filter(isLeft);
    try {
      await this.tmux('kill-server').catch((error: Error) => {
        if (!NO_SERVER.test(error.message)) throw error;
      });
      await this.closed();
      await eventually('nothing of tmux is left', () => left().length === 0);
    } finally {
      for (const pid of left()) process.kill(pid, 'SIGKILL');
      await rm(this.folder, { recursive: true });
    }
  }
}

/**
 * Whether a process still runs, or is an unreaped zombie of this process; init reaps the server's children in its own
 * time.
 */
function isLeft(pid: number): boolean {
  const info = processInfo(pid);
  return info !== undefined && (info.state !== 'Z' || info.parent === process.pid);
}
