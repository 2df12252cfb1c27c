import { closeSync, openSync, rmSync } from 'node:fs';
import type { Libc } from '../pty/libc.js';
import type { WrapperTools } from './wrapper.js';

/** Seconds between asking the server to end and killing it. */
const GRACE_SECONDS = 1;

/**
 * Script of a program in tmux that ends the tmux server once this process is gone. It opens the FIFO for writing first:
 * opened only for reading, it would block for ever if this process has died already. A server that is ordered to end
 * waits for clients with unsent output, even if nobody reads it; a server that still runs after the grace is therefore
 * killed.
 */
const SCRIPT = [
  "trap '' INT QUIT TERM TSTP",
  'exec 4<>"$1" 3<"$1" 4>&-',
  'read -r line <&3',
  "trap '' HUP",
  'kill -TERM $PPID',
  `"$2" ${GRACE_SECONDS}`,
  'read -r pid name state parent rest </proc/$$/stat',
  '[ "$parent" = $PPID ] && kill -KILL $PPID',
].join('\n');

const MODE = 0o600;

/** A FIFO that this process holds open as long as it lives, however it ends: its readers notice its death. */
export class HostWatch {
  readonly #path: string;
  readonly #fd: number;

  /** Creates the FIFO. A killed host may have left one, which is removed first. Throws if the FIFO cannot be created. */
  constructor(path: string, libc: Pick<Libc, 'mkfifo' | 'errno'>) {
    rmSync(path, { force: true });
    if (libc.mkfifo(path, MODE) !== 0) throw new Error(`${path}: mkfifo failed (error ${libc.errno()})`);
    this.#path = path;
    // For reading and writing, so that it opens without a reader.
    this.#fd = openSync(path, 'r+');
  }

  /** Returns the arguments of a program that ends its parent, the server, when this process is gone. */
  argv({ sh, sleep }: Pick<WrapperTools, 'sh' | 'sleep'>): string[] {
    return [sh, '-c', SCRIPT, 'auto-terminal-watch', this.#path, sleep];
  }

  close(): void {
    rmSync(this.#path, { force: true });
    closeSync(this.#fd);
  }
}
