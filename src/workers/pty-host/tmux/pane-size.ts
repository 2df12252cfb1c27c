import type { ControlClient } from './control-client.js';

interface Size {
  cols: number;
  rows: number;
}

interface SizeDeps {
  pane: number;
  size: Size;
  run: ControlClient['run'];
  log(message: string): void;
  /** Called with each new size, and after each resize, between the output before it and the output after it. */
  resized(size: Size): void;
}

const SIZES = '#{pane_width} #{pane_height} #{window_width} #{window_height}';

/** The size of a pane, which is not its window's where a person has split that. */
export class PaneSize {
  readonly #deps: SizeDeps;
  #size: Size;
  #resizing = 0;
  #closed = false;

  constructor(deps: SizeDeps) {
    this.#deps = deps;
    this.#size = deps.size;
  }

  close(): void {
    this.#closed = true;
  }

  /** Takes the size in a new layout, made by a person or by a resize of ours; null if the layout does not show the pane. */
  inLayout(size: Size | null): void {
    // The size of our own resize is reported where its answer stands; this layout may be outdated.
    if (!size || this.#resizing > 0 || this.#closed) return;
    if (!isSame(size, this.#size)) this.#resized(size);
  }

  /** Gives the pane a size. If its window has other panes too, the window gets the size that they need besides. */
  resize(wanted: Size): void {
    if (this.#closed) return;
    this.#resizing += 1;
    const { pane } = this.#deps;
    this.#ask([resizeWindow(pane, wanted)], (size, window) => {
      // The next resize brings the pane to its size in any case.
      if (isSame(size, wanted) || this.#resizing > 1) {
        this.#done(wanted, size);
        return;
      }
      const cols = wanted.cols + window.cols - size.cols;
      const rows = wanted.rows + window.rows - size.rows;
      const commands = [
        resizeWindow(pane, { cols, rows }),
        `resize-pane -t %${pane} -x ${wanted.cols} -y ${wanted.rows}`,
      ];
      this.#ask(commands, (all) => this.#done(wanted, all));
    });
  }

  #ask(commands: readonly string[], done: (size: Size, window: Size) => void): void {
    const { pane, run, log } = this.#deps;
    run([...commands, `display-message -p -t %${pane} '${SIZES}'`], (answer) => {
      if ('fault' in answer) {
        this.#resizing -= 1;
        if (!this.#closed) log(`pane ${pane} could not be resized: ${answer.fault}`);
        return;
      }
      const [cols = 0, rows = 0, windowCols = 0, windowRows = 0] = (answer.lines.at(-1)?.[0] ?? '')
        .split(' ')
        .map(Number);
      done({ cols, rows }, { cols: windowCols, rows: windowRows });
    });
  }

  #done(wanted: Size, size: Size): void {
    this.#resizing -= 1;
    if (this.#closed) return;
    this.#resized(wanted);
    if (this.#resizing === 0) this.inLayout(size);
  }

  #resized(size: Size): void {
    this.#size = size;
    this.#deps.resized(size);
  }
}

function resizeWindow(pane: number, { cols, rows }: Size): string {
  return `resize-window -t %${pane} -x ${cols} -y ${rows}`;
}

function isSame(one: Size, other: Size): boolean {
  return one.cols === other.cols && one.rows === other.rows;
}
