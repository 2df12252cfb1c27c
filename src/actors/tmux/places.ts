import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import type { TmuxHome } from '../../contract/host-protocol.js';
import type { Backend } from '../../contract/terminal.js';
import type { TmuxDetector } from './detector.js';
import { attachLine } from './environment.js';

/** Place of a new terminal in tmux. */
export interface TmuxPlace {
  tmux: TmuxHome;
  /** Returns the command line by which a person joins the terminal of this id. */
  attach: (terminalId: string) => string;
}

export interface TmuxPlacesOptions {
  detector: Pick<TmuxDetector, 'home'>;
  /** Returns the current setting `terminals.backend`. */
  backend: () => Backend;
  /** Lines of scrollback. */
  historyLimit: number;
  /** Returns the environment of the service, with the folder of tmux' sockets that the pty host has. */
  env: () => NodeJS.ProcessEnv;
  logger: Pick<Logger, 'warn'>;
}

/** Decides which new terminals live in tmux. */
export class TmuxPlaces {
  readonly #options: TmuxPlacesOptions;
  #hasWarned = false;

  constructor(options: TmuxPlacesOptions) {
    this.#options = options;
  }

  /**
   * Returns the place of a new terminal in tmux; null for a plain PTY, also if the setting wants tmux and there is
   * none.
   *
   * @param asked - backend of the request; undefined leaves it to the setting. `tmux` throws `tmux-unavailable` where
   * there is none
   */
  async placeFor(asked: Backend | undefined): Promise<TmuxPlace | null> {
    const { detector, backend, historyLimit, env } = this.#options;
    if ((asked ?? backend()) === 'pty') return null;
    const home = await detector.home();
    if (!('fault' in home)) {
      return { tmux: { ...home, historyLimit }, attach: (id) => attachLine(home.socketName, id, env()) };
    }
    if (asked) throw new DomainError('tmux-unavailable', home.fault);
    this.#warn(home.fault);
    return null;
  }

  /** Warns once: the fault lasts until the next start. */
  #warn(fault: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.logger.warn({ fault }, 'terminals are plain PTYs, although terminals.backend is tmux');
  }
}
