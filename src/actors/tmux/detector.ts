import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { DomainError } from '../../contract/errors.js';
import { TMUX_DEADLINE_MS, WSL_DEADLINE_MS } from '../../contract/limits.js';
import type { TmuxStatus } from '../../contract/system.js';
import type { RunProgram } from '../run-program.js';
import { isTerminalId } from '../terminal-record.js';
import { faultOfVersion } from './version.js';

export interface TmuxOptions {
  /** As `process.platform`. */
  platform: string;
  /** Returns the environment with which tmux is called, see {@link tmuxEnvironment}. */
  env: () => NodeJS.ProcessEnv;
  run: RunProgram;
  /** Name of this instance's server, as `tmux -L` takes it. */
  socketName: string;
  /**
   * The reason, in words, why the pty host of this machine cannot hold back the output of terminals in tmux; null if it
   * can.
   */
  obstacle: string | null;
}

/** How to call tmux on this machine. */
interface Tmux {
  file: string;
  /** Arguments that come before tmux' own. */
  before: string[];
  distro: string | null;
  deadlineMs: number;
}

interface Fault {
  fault: string;
}

const WSL = 'wsl.exe';

/** Distributions that Docker Desktop keeps for itself. */
const NO_USER_DISTRO = /^docker-desktop/;

/** Finds tmux, once, and counts the terminals that live in it, each time it is asked. */
export class TmuxDetector {
  readonly #options: TmuxOptions;
  readonly #tmux: Promise<Tmux | Fault>;

  constructor(options: TmuxOptions) {
    this.#options = options;
    this.#tmux = options.platform === 'win32' ? this.#findInWsl() : this.#findNative();
  }

  /**
   * Reports whether tmux is available, and how many terminals live in it. Throws `unavailable` when tmux does not
   * answer in time, or has gone since the service started.
   */
  async status(): Promise<TmuxStatus> {
    const tmux = await this.#tmux;
    if ('fault' in tmux) return { available: false, tmux_path: '', wsl_distro: null, active_sessions: 0 };
    const { socketName } = this.#options;
    const args = ['-L', socketName, 'list-sessions', '-F', '#{session_name}'];
    const listed = await this.#call(tmux, args).catch((cause: unknown) => {
      throw new DomainError('unavailable', 'tmux can no longer be started', { cause });
    });
    if (listed.exitCode === null) throw new DomainError('unavailable', 'tmux does not answer');
    // tmux fails when no server runs. One session is the pty host's own and is not counted.
    const sessions = listed.exitCode === 0 ? linesOf(listed.stdout) : [];
    return {
      available: true,
      tmux_path: tmux.file,
      wsl_distro: tmux.distro,
      active_sessions: sessions.filter(isTerminalId).length,
    };
  }

  /** Returns where terminals can live in tmux, or in words why they cannot. */
  async home(): Promise<{ file: string; socketName: string } | Fault> {
    const { platform, socketName, obstacle } = this.#options;
    if (platform === 'win32') return { fault: 'tmux in WSL is not supported yet' };
    const tmux = await this.#tmux;
    if ('fault' in tmux) return tmux;
    if (obstacle !== null) return { fault: `the output of tmux cannot be paused here: ${obstacle}` };
    return { file: tmux.file, socketName };
  }

  async #findNative(): Promise<Tmux | Fault> {
    const file = findOnPath('tmux', this.#options.env().PATH ?? '');
    if (file === null) return { fault: 'tmux was not found on PATH' };
    return this.#ifItServes({ file, before: [], distro: null, deadlineMs: TMUX_DEADLINE_MS });
  }

  async #findInWsl(): Promise<Tmux | Fault> {
    const none = { fault: 'no WSL distribution has tmux' };
    const deadlineMs = WSL_DEADLINE_MS;
    const options = { env: this.#options.env(), deadlineMs };
    // A machine without WSL has no such program.
    const listed = await this.#options.run(WSL, ['--list', '--quiet'], options).catch(() => null);
    if (listed?.exitCode !== 0) return none;
    for (const distro of linesOf(listed.stdout)) {
      if (NO_USER_DISTRO.test(distro)) continue;
      const before = ['--distribution', distro, '--exec', 'tmux'];
      const tmux = await this.#ifItServes({ file: WSL, before, distro, deadlineMs });
      if (!('fault' in tmux)) return tmux;
    }
    return none;
  }

  /** Returns the tmux if it starts and reports a version that is new enough; otherwise its fault. */
  async #ifItServes(tmux: Tmux): Promise<Tmux | Fault> {
    const result = await this.#call(tmux, ['-V']).catch(() => null);
    if (result?.exitCode !== 0) return { fault: `${tmux.file} cannot be run` };
    const fault = faultOfVersion(result.stdout.toString('utf8'));
    return fault === null ? tmux : { fault };
  }

  #call({ file, before, deadlineMs }: Tmux, args: string[]) {
    return this.#options.run(file, [...before, ...args], { env: this.#options.env(), deadlineMs });
  }
}

/** Returns the non-empty lines. Older versions of wsl.exe write UTF-16 even if asked for UTF-8. */
function linesOf(output: Buffer): string[] {
  const text = output.includes(0) ? output.toString('utf16le') : output.toString('utf8');
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Returns the absolute path of the first executable file of that name; relative folders of PATH are not searched. */
function findOnPath(name: string, path: string): string | null {
  const files = path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name));
  return files.find(isExecutableFile) ?? null;
}

function isExecutableFile(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
