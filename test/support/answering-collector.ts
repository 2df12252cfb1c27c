import type { Terminal } from '@xterm/headless';
import { createTerminal } from '#dist/workers/shard/screen/xterm/terminal.js';
import { Collector } from '../engine/pty-host-rig.js';

/** Collects output, and answers the program's queries to its terminal, such as for the cursor. */
export class AnsweringCollector extends Collector {
  readonly #screen: Terminal;

  constructor(size: { cols: number; rows: number }, answer: (data: string) => void) {
    super();
    this.#screen = createTerminal(size.cols, size.rows, 0);
    this.#screen.onData(answer);
  }

  override output(bytes: Buffer): void {
    super.output(bytes);
    this.#screen.write(bytes);
  }
}
