import { execFileSync } from 'node:child_process';

/** The tmux of this machine, called as at a prompt, with its sockets in a folder of the test. */
export class TmuxByHand {
  readonly #folder: string;
  readonly #socketName: string;

  constructor(folder: string, socketName: string) {
    this.#folder = folder;
    this.#socketName = socketName;
  }

  /** Returns tmux's output, without the last line feed; throws with its error message. */
  run(...args: string[]): string {
    const { TMUX: _server, TMUX_PANE: _pane, ...env } = process.env;
    const printed = execFileSync('tmux', ['-u', '-L', this.#socketName, ...args], {
      env: { ...env, TMUX_TMPDIR: this.#folder },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return printed.replace(/\n$/, '');
  }

  get serverPid(): number {
    return Number(this.run('display-message', '-p', '#{pid}'));
  }

  /** Names of all sessions. */
  get sessions(): string[] {
    return this.run('list-sessions', '-F', '#{session_name}').split('\n');
  }
}
