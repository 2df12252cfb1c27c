import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { DomainError } from '../contract/errors.js';
import { TMUX_DEADLINE_MS, WSL_DEADLINE_MS } from '../contract/limits.js';
import type { TmuxStatus } from '../contract/system.js';
import type { RunProgram } from './run-program.js';

export interface TmuxOptions {
  /** As `process.platform`. */
  platform: string;
  /** The environment of the service. */
  env: NodeJS.ProcessEnv;
  run: RunProgram;
}

/** How tmux is called on this machine. */
interface Tmux {
  file: string;
  /** Arguments that come before tmux' own. */
  before: string[];
  distro: string | null;
  deadlineMs: number;
}

const WSL = 'wsl.exe';

/** Distributions that Docker Desktop keeps for itself. */
const NO_USER_DISTRO = /^docker-desktop/;

/** Where tmux is, found out once, and how many sessions it has, asked for each time. */
export class TmuxDetector {
  readonly #options: TmuxOptions;
  readonly #env: NodeJS.ProcessEnv;
  readonly #tmux: Promise<Tmux | null>;

  constructor(options: TmuxOptions) {
    this.#options = options;
    // A service that was started inside tmux would ask that server, be it the default one or not.
    const { TMUX: _server, TMUX_PANE: _pane, ...env } = options.env;
    this.#env = { ...env, WSL_UTF8: '1' };
    this.#tmux = options.platform === 'win32' ? this.#findInWsl() : this.#findNative();
  }

  /** Throws `unavailable` when tmux does not answer in time, or has gone since the service started. */
  async status(): Promise<TmuxStatus> {
    const tmux = await this.#tmux;
    if (!tmux) return { available: false, tmux_path: '', wsl_distro: null, active_sessions: 0 };
    const listed = await this.#call(tmux, ['list-sessions', '-F', '#{session_id}']).catch(
      (cause: unknown) => {
        throw new DomainError('unavailable', 'tmux cannot be started any more', { cause });
      },
    );
    if (listed.exitCode === null) throw new DomainError('unavailable', 'tmux does not answer');
    // It ends with an error when no server runs.
    const sessions = listed.exitCode === 0 ? linesOf(listed.stdout) : [];
    return {
      available: true,
      tmux_path: tmux.file,
      wsl_distro: tmux.distro,
      active_sessions: sessions.length,
    };
  }

  async #findNative(): Promise<Tmux | null> {
    const file = findOnPath('tmux', this.#env.PATH ?? '');
    if (file === null) return null;
    return this.#ifItRuns({ file, before: [], distro: null, deadlineMs: TMUX_DEADLINE_MS });
  }

  async #findInWsl(): Promise<Tmux | null> {
    const deadlineMs = WSL_DEADLINE_MS;
    const options = { env: this.#env, deadlineMs };
    // Without WSL there is no such program.
    const listed = await this.#options.run(WSL, ['--list', '--quiet'], options).catch(() => null);
    if (listed?.exitCode !== 0) return null;
    for (const distro of linesOf(listed.stdout)) {
      if (NO_USER_DISTRO.test(distro)) continue;
      const before = ['--distribution', distro, '--exec', 'tmux'];
      const tmux = await this.#ifItRuns({ file: WSL, before, distro, deadlineMs });
      if (tmux) return tmux;
    }
    return null;
  }

  /** What cannot be started, or does not know its own version, is not there. */
  async #ifItRuns(tmux: Tmux): Promise<Tmux | null> {
    const result = await this.#call(tmux, ['-V']).catch(() => null);
    return result?.exitCode === 0 ? tmux : null;
  }

  #call({ file, before, deadlineMs }: Tmux, args: string[]) {
    return this.#options.run(file, [...before, ...args], { env: this.#env, deadlineMs });
  }
}

/** Non-empty lines. Older versions of wsl.exe write UTF-16, whatever they are asked for. */
function linesOf(output: Buffer): string[] {
  const text = output.includes(0) ? output.toString('utf16le') : output.toString('utf8');
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Absolute path of the first executable file of that name; relative folders of PATH are not searched. */
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
