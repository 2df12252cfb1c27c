import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlClient } from '#dist/workers/pty-host/tmux/control-client.js';
import { MarkedOutput } from '#dist/workers/pty-host/tmux/marked-output.js';
import { clientArguments, setUpCommands } from '#dist/workers/pty-host/tmux/set-up.js';
import { type Pane, paneOf, windowCommands } from '#dist/workers/pty-host/tmux/window.js';
import { environmentFor } from '#dist/workers/pty-host/tmux/wrapped-environment.js';
import { findWrapperTools, type WrapperTools, wrapped } from '#dist/workers/pty-host/tmux/wrapper.js';
import { eventually, type ProcessInfo, processesOfSession } from './processes.js';

const HUB = 'hub';
const PATH = process.env.PATH ?? '';

interface Program {
  file: string;
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
}

/** A program under its wrapper in a pane of tmux, and its results. */
export class Wrapped {
  readonly pane: Pane;
  /** All output of the pane. */
  raw = Buffer.alloc(0);
  /** The part of the pane's output that was passed on. */
  output = Buffer.alloc(0);
  pid = 0;
  end: { exitCode: number; signal: number } | null = null;

  constructor(pane: Pane) {
    this.pane = pane;
  }

  get text(): string {
    return this.output.toString();
  }

  /** Resolves once the program's output contains the text. */
  prints(text: string | RegExp): Promise<void> {
    return eventually(`it prints ${text}`, () => this.text.search(text) >= 0);
  }

  async ended(): Promise<{ exitCode: number; signal: number }> {
    await eventually('it has ended', () => this.end !== null);
    return this.end!;
  }
}

/** A tmux server with the service's settings, whose panes run wrapped programs. */
export class WrapperRig {
  readonly folder = mkdtempSync(join(tmpdir(), 'wrapped-'));
  readonly client: ControlClient;
  readonly #programs = new Map<number, (bytes: Buffer) => void>();
  readonly #leaders: number[] = [];
  #isClosed = false;
  #count = 0;

  private constructor() {
    const home = { file: 'tmux', socketName: 'test', historyLimit: 1000 };
    const env = { PATH, HOME: this.folder, TMUX_TMPDIR: this.folder, LC_CTYPE: 'C.UTF-8' };
    this.client = new ControlClient(
      { file: home.file, args: clientArguments(home, HUB, ['sleep', '2147483647']), env, log: () => {} },
      {
        output: (pane, bytes) => this.#programs.get(pane)?.(bytes),
        notice: () => {},
        closed: () => {
          this.#isClosed = true;
        },
      },
    );
  }

  static async start(): Promise<WrapperRig> {
    const rig = new WrapperRig();
    for (const command of setUpCommands(HUB)) await rig.client.ask([command]);
    return rig;
  }

  /** Runs a program; resolves once its pane exists, which is before the program's first output. */
  run(program: Program, tools: WrapperTools = theTools()): Promise<Wrapped> {
    const { file, args = [], env = { PATH }, cwd = this.folder } = program;
    const { argv, nonce } = wrapped({ file, path: file, args, env }, tools);
    const id = `t${++this.#count}`;
    const window = { id, hub: `=${HUB}:`, argv, env: environmentFor({ env, cwd }), cwd, cols: 80, rows: 24 };
    return new Promise((resolve, reject) => {
      this.client.run(windowCommands({ ...window, historyLimit: 1000 }), (answer) => {
        if ('fault' in answer) {
          reject(new Error(answer.fault));
          return;
        }
        const run = new Wrapped(paneOf(answer.lines));
        const output = new MarkedOutput(nonce, {
          started: (pid) => {
            run.pid = pid;
          },
          output: (bytes) => {
            run.output = Buffer.concat([run.output, bytes]);
          },
          ended: (exitCode, signal) => {
            run.end = { exitCode, signal };
          },
        });
        this.#leaders.push(run.pane.leader);
        this.#programs.set(run.pane.pane, (bytes) => {
          run.raw = Buffer.concat([run.raw, bytes]);
          output.push(bytes);
        });
        resolve(run);
      });
    });
  }

  /** Runs a script of /bin/sh. */
  sh(script: string, tools?: WrapperTools): Promise<Wrapped> {
    return this.run({ file: '/bin/sh', args: ['-c', script] }, tools);
  }

  async type(run: Wrapped, keys: string): Promise<void> {
    const bytes = [...Buffer.from(keys)].map((byte) => byte.toString(16)).join(' ');
    await this.client.ask([`send-keys -t %${run.pane.pane} -H ${bytes}`]);
  }

  /** Closes the pane. */
  async close(run: Wrapped): Promise<void> {
    await this.client.ask([`kill-window -t @${run.pane.window}`]);
  }

  /** Returns the running processes of all panes. */
  left(): ProcessInfo[] {
    return this.#leaders.flatMap(running);
  }

  async end(): Promise<void> {
    if (!this.#isClosed) this.client.run(['kill-server'], () => {});
    await eventually('tmux has ended', () => this.#isClosed);
    rmSync(this.folder, { recursive: true });
  }
}

/** Returns the running processes in the session of a pane, without zombies that init has not reaped. */
export function running(leader: number): ProcessInfo[] {
  return processesOfSession(leader).filter(({ state }) => state !== 'Z');
}

export function theTools(): WrapperTools {
  const tools = findWrapperTools(PATH);
  if ('fault' in tools) throw new Error(tools.fault);
  return tools;
}

/**
 * Returns the shells that may serve as sh on this machine, each under the name `sh`, and a function that removes them.
 */
export function shellsAsSh(): [{ name: string; tools: WrapperTools }[], () => void] {
  const folder = mkdtempSync(join(tmpdir(), 'shells-'));
  const shells = ['dash', 'bash', 'busybox', 'mksh'].flatMap((name) => {
    const file = which(name);
    if (!file) return [];
    const as = mkdtempSync(join(folder, name));
    symlinkSync(file, join(as, 'sh'));
    return [{ name, tools: { ...theTools(), sh: join(as, 'sh'), bash: null } }];
  });
  return [shells, () => rmSync(folder, { recursive: true })];
}

/** Returns the path of a program; null if this machine does not have it. */
export function which(name: string): string | null {
  try {
    return execFileSync('which', [name], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}
