import type { SystemInfo, TmuxStatus } from '../contract/system.js';
import { VERSION } from '../contract/version.js';
import { runProgram } from './run-program.js';
import { TmuxDetector } from './tmux.js';

/** Facts of the machine that the service runs on. */
export interface SystemFacts {
  /** As `process.platform` and `process.arch`. */
  platform: string;
  arch: string;
  /** Empty when the machine has none. */
  hostname: string;
  /** The environment of the service. */
  env: NodeJS.ProcessEnv;
}

/** Names of processors as their makers' tools write them. */
const ARCHITECTURES: Readonly<Record<string, string>> = {
  x64: 'x86_64',
  arm64: 'aarch64',
  ia32: 'x86',
  ppc64: 'powerpc64',
  loong64: 'loongarch64',
};

/** The machine, as `/api/system` tells of it. tmux is looked for as soon as this is made. */
export class System {
  readonly #facts: SystemFacts;
  readonly #tmux: TmuxDetector;

  constructor(facts: SystemFacts) {
    this.#facts = facts;
    this.#tmux = new TmuxDetector({ platform: facts.platform, env: facts.env, run: runProgram });
  }

  info(): SystemInfo {
    const { platform, arch, hostname } = this.#facts;
    return {
      platform: platform === 'win32' ? 'windows' : platform === 'darwin' ? 'macos' : 'linux',
      arch: ARCHITECTURES[arch] ?? arch,
      version: VERSION,
      hostname: hostname || 'unknown',
      uptime: Math.floor(Date.now() / 1_000),
    };
  }

  /** Throws `unavailable` when tmux does not answer in time. */
  tmuxStatus(): Promise<TmuxStatus> {
    return this.#tmux.status();
  }
}
