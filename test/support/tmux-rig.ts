import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ControlClient } from '#dist/workers/pty-host/tmux/control-client.js';
import { quoted } from '#dist/workers/pty-host/tmux/words.js';
import { eventually, processInfo } from './processes.js';

/** The reports of a control client, in order; tests add the answers that they got. */
export type Told =
  | { kind: 'output'; pane: number; bytes: Buffer }
  | { kind: 'notice'; line: string }
  | { kind: 'closed'; reason: string }
  | { kind: 'answer'; text: string };

/** A server that has been stopped answers nothing. */
const DEADLINE_MS = 60_000;

const SOCKET = ['-u', '-L', 'test', '-f', '/dev/null'];
const HUB = ['new-session', '-s', 'hub', '-x', '80', '-y', '24', '--', 'sleep', '1000000'];

/** tmux's messages if there is no server, or if it has just been killed. */
const NO_SERVER = /no server running|error connecting|has unsafe permissions|server exited unexpectedly/;

interface RigOptions {
  file?: string;
  /** The program that the client runs; a new session by default. */
  command?: string[];
  /** More variables for its environment. */
  env?: Record<string, string>;
}

/** A tmux server on a socket of its own in a folder of its own, and a control client on it. */
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

  /** With a running server; returns its pid, too. */
  static async start(): Promise<{ rig: TmuxRig; server: number }> {
    const rig = await TmuxRig.make();
    try {
      return { rig, server: await rig.server() };
    } catch (error) {
      await rig.end();
      throw error;
    }
  }

  /** Pid of the server. */
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

  /** All that a pane has printed. */
  outputOf(pane: number): Buffer {
    return Buffer.concat(
      this.told.flatMap((told) => (told.kind === 'output' && told.pane === pane ? [told.bytes] : [])),
    );
  }

  /** Runs the commands; their answers go to `told`. */
  tell(commands: string[]): void {
    this.client.run(commands, (answer) => {
      const text = 'fault' in answer ? `fault: ${answer.fault}` : answer.lines.flat().join('\n');
      this.told.push({ kind: 'answer', text });
    });
  }

  /** The reports of one kind, as text. */
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
    const options = { env: this.#env, timeout: DEADLINE_MS };
    const { stdout } = await promisify(execFile)('tmux', [...SOCKET, ...args], options);
    return stdout;
  }

  /** A pid that tmux has reported; a signal to an invalid pid would go to the test, or its whole group. */
  #known(text: string): number {
    const pid = Number(text);
    if (!(pid > 1)) throw new Error(`tmux tells ${JSON.stringify(text)} for a pid`);
    this.#pids.add(pid);
    return pid;
  }

  /** Ends the server and the client, if they still run; they and all their programs must really end. */
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

/** Still running, or our own unreaped zombie; init reaps the server's children in its own time. */
function isLeft(pid: number): boolean {
  const info = processInfo(pid);
  return info !== undefined && (info.state !== 'Z' || info.parent === process.pid);
}
