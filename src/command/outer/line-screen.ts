/** Takes the alternate screen, hides the cursor, and keeps a line that is too long in its row. */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const LEAVE = '\x1b[?7h\x1b[?25h\x1b[?1049l';

/** Terminals that know this mode show the whole update at once. */
const BEGIN_UPDATE = '\x1b[?2026h';
const END_UPDATE = '\x1b[?2026l';

/** Draws successive pictures made of lines: of each picture, only the lines that have changed. */
export class LineScreen {
  #shown: readonly string[] = [];
  #isEntered = false;
  #isEmpty = false;

  /** Returns the sequences that take the screen. */
  enter(): string {
    this.#isEntered = true;
    this.clear();
    return ENTER;
  }

  /** Forgets the shown picture, as after a change of size. */
  clear(): void {
    this.#shown = [];
    this.#isEmpty = false;
  }

  /** Returns the output that draws these lines, each of which must fit into its row; empty if they are shown already. */
  draw(lines: readonly string[]): string {
    let text = this.#isEmpty ? '' : '\x1b[m\x1b[2J';
    for (let row = 0; row < Math.max(lines.length, this.#shown.length); row++) {
      const line = lines[row] ?? '';
      // Erased before it is drawn: after a line that fills its row, erasing would erase its last character.
      if (line !== (this.#shown[row] ?? '')) text += `\x1b[${row + 1};1H\x1b[m\x1b[2K${line}\x1b[m`;
    }
    this.#shown = lines;
    this.#isEmpty = true;
    return text === '' ? '' : BEGIN_UPDATE + text + END_UPDATE;
  }

  /** Returns the sequences that give the screen back. */
  leave(rows: number): string {
    if (!this.#isEntered) return '';
    this.#isEntered = false;
    // A terminal without an alternate screen keeps the last picture, above its next line.
    return `${END_UPDATE}\x1b[m\x1b[${rows};1H\r\n${LEAVE}`;
  }
}
