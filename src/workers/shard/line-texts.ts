import type { OutputBytes } from './output-bytes.js';
import type { Cursor } from './read-cursor.js';
import type { ScannedLine } from './screen/text/line-scanner.js';
import { lineStart, type PrintStart, printStart } from './screen/text/print-start.js';
import { type Drawn, LineRenderer, renderDrawn, renderText } from './screen/text/printed.js';
import { TextStream } from './screen/text/text-stream.js';

/** Where a range of output begins. */
export type TextBegin = Cursor & { position: number };

/** Makes the text of lines of output. Must be closed. */
export class LineTexts {
  readonly #output: OutputBytes;
  readonly #begin: TextBegin;
  readonly #lines = new LineRenderer();

  constructor(output: OutputBytes, begin: TextBegin) {
    this.#output = output;
    this.#begin = begin;
  }

  close(): void {
    this.#lines.close();
  }

  /** Returns the text of written lines, as the program wrote it. */
  written(from: number, to: number): string {
    const stream = new TextStream();
    let text = '';
    for (const segment of this.#output.between(from, to)) {
      if ('bytes' in segment) text += stream.push(segment.bytes);
    }
    return text + stream.end();
  }

  /** Returns the text that remains of an overwritten line that has ended. */
  async overwritten(line: Pick<ScannedLine, 'from' | 'to'>): Promise<string> {
    const { from, to } = line;
    if (from === this.#begin.position) return this.last(line);
    return this.#lines.render(this.#output.between(from, to), this.#output.sizeAt(from));
  }

  /** Returns the text that remains of an overwritten line, even if it has not ended. */
  last({ from, to }: Pick<ScannedLine, 'from' | 'to'>): Promise<string> {
    const isFirst = from === this.#begin.position;
    const start = isFirst ? this.#startAt(from) : lineStart(this.#output.sizeAt(from));
    return renderText(this.#output.between(from, to), start);
  }

  /** Renders lines that begin on the first column, or at the beginning of the range. */
  drawn(from: number, to: number): Promise<Drawn> {
    return renderDrawn(this.#output.between(from, to), this.#startAt(from));
  }

  /** Returns the cursor at the beginning of a line. More lines than the screen has rows bring it to the last row. */
  #startAt(position: number): PrintStart {
    const isBegin = position === this.#begin.position;
    return printStart(this.#output.sizeAt(position), isBegin ? this.#begin : undefined);
  }
}
