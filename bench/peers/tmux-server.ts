import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, processInfo } from '../../test/support/processes.js';

/** Name of the session that holds all windows. */
const SESSION = 'bench';
const STOP_DEADLINE_MS = 60_000;

/** A separate tmux server, with its socket in a folder of its own and only the given configuration. */
export class TmuxServer {
  readonly pid: number;
  readonly #folder: string;

  private constructor(folder: string, pid: number) {
    this.#folder = folder;
    this.pid = pid;
  }

  /** Starts a server with one window that runs `cat`; `configuration` is the text of a tmux.conf. */
  static async start(configuration = ''): Promise<TmuxServer> {
    const folder = mkdtempSync(join(tmpdir(), 'at-bench-tmux-'));
    const file = join(folder, 'tmux.conf');
    writeFileSync(file, configuration);
    try {
      const start = ['-f', file, 'new-session', '-d', '-x', '80', '-y', '24', '-s', SESSION, 'cat'];
      await run(folder, start);
      return new TmuxServer(folder, Number(await run(folder, ['display-message', '-p', '#{pid}'])));
    } catch (error) {
      await run(folder, ['kill-server']).catch(() => 'there is none');
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Runs one tmux command. Resolves with its output. */
  run(args: readonly string[]): Promise<string> {
    return run(this.#folder, args);
  }

  /** Arguments of `tmux` that select this server, to be used with `env`. */
  get args(): string[] {
    return [...SOCKET];
  }

  get env(): NodeJS.ProcessEnv {
    return environment(this.#folder);
  }

  /** Ends the server and all programs in it. */
  async stop(): Promise<void> {
    try {
      process.kill(this.pid, 'SIGTERM');
      const hasEnded = () => processInfo(this.pid) === undefined || processInfo(this.pid)?.state === 'Z';
      await eventually('the tmux server has ended', hasEnded, STOP_DEADLINE_MS);
    } finally {
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }
}

const SOCKET = ['-L', 'bench'];

function environment(folder: string): NodeJS.ProcessEnv {
  const { TMUX: _, TMUX_PANE: __, ...env } = process.env;
  return { ...env, TMUX_TMPDIR: folder, LC_ALL: 'C.UTF-8' };
}

async function run(folder: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('tmux', [...SOCKET, ...args], { env: environment(folder) });
  return stdout.trimEnd();
}
