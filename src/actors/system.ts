import type { SystemInfo, TmuxStatus } from '../contract/system.js';
import { VERSION } from '../contract/version.js';
import type { TmuxDetector } from './tmux/detector.js';

/** Facts of the machine that the service runs on. */
export interface SystemFacts {
  /** As `process.platform` and `process.arch`. */
  platform: string;
  arch: string;
  /** Empty when the machine has none. */
  hostname: string;
  /** Returns the pty host that is connected, or was last. */
  ptyHost(): SystemInfo['ptyHost'];
  tmux: Pick<TmuxDetector, 'status'>;
}

/** Names of processors as their makers' tools write them. */
const ARCHITECTURES: Readonly<Record<string, string>> = {
  x64: 'x86_64',
  arm64: 'aarch64',
  ia32: 'x86',
  ppc64: 'powerpc64',
  loong64: 'loongarch64',
};

/** Facts about the machine, as `/api/system` reports them. */
export class System {
  readonly #facts: SystemFacts;

  constructor(facts: SystemFacts) {
    this.#facts = facts;
  }

  info(): SystemInfo {
    const { platform, arch, hostname, ptyHost } = this.#facts;
    return {
      platform: platform === 'win32' ? 'windows' : platform === 'darwin' ? 'macos' : 'linux',
      arch: ARCHITECTURES[arch] ?? arch,
      version: VERSION,
      hostname: hostname || 'unknown',
      ptyHost: ptyHost(),
      uptime: Math.floor(Date.now() / 1_000),
    };
  }

  /** See {@link TmuxDetector.status}. */
  tmuxStatus(): Promise<TmuxStatus> {
    return this.#facts.tmux.status();
  }
}
