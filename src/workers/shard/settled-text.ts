import { LineTexts, type TextBegin } from './line-texts.js';
import type { OutputBytes } from './output-bytes.js';
import type { TextPlace } from './piece-query.js';
import { LineScanner, type ScannedLine } from './screen/text/line-scanner.js';
import type { Drawn } from './screen/text/printed.js';
import { withoutLines } from './without-lines.js';

/** Bytes of earlier lines that are rendered together with the output drawn over them. */
const CONTEXT_BYTES = 64 * 1024;

/** The next piece of the text of a range. */
export interface SettledText {
  /** Number of lines at the end of the earlier pieces that have been drawn over: they no longer count. */
  dropped: number;
  text: string;
  place: TextPlace;
}

/** A range of output, or the part of it that is left. */
export interface SettledRange {
  /** The output from the context of the place on. */
  output: OutputBytes;
  /** Place where the range begins; after a gap, where the remaining output begins. */
  begin: TextBegin;
  place: TextPlace;
  /** Whether nothing follows in the range: then the text of its last line counts, too. */
  isWhole: boolean;
  /** Returns after about this many bytes of output; the text may be longer, since lines are not cut. */
  maxBytes: number;
}

/** Lines that are drawn, and the line feeds after which their text may be settled. */
interface Drawing {
  context: number;
  /** Position where its text begins to be new. */
  from: number;
  /** Whether that position is within a long line. */
  isWithinLine: boolean;
  /** Number of line feeds since the cursor was last moved to another row. */
  lineFeeds: number;
  /** Number of line feeds at which the drawing is rendered, to see whether later output can still change it. */
  settlesAt: number;
}

/**
 * Returns the text of output as far as it is settled: what has been printed since does not change it any longer, nor
 * does it depend on where earlier pieces ended. So the pieces of a range, with their dropped lines, join to one text.
 *
 * - Lines are settled when they end. Lines that are written from beginning to end are the program's text; lines that
 *   overwrite themselves, such as progress bars, are rendered one by one.
 * - Where the cursor goes to other rows, rendering begins with the lines above that may still be on the screen. The
 *   drawing is settled at the end of the range, or once a screen of lines has been written below it.
 */
export async function settledText(range: SettledRange): Promise<SettledText> {
  const settling = new Settling(range);
  try {
    return await settling.run();
  } finally {
    settling.close();
  }
}

class Settling {
  readonly #range: SettledRange;
  readonly #texts: LineTexts;
  /** Beginnings of lines that may still be on the screen, with the number of line feeds before them. */
  #starts: { position: number; lineFeeds: number }[] = [];
  #lineFeeds = 0;
  #isWithinLine: boolean;
  #drawing: Drawing | undefined;
  /** Settled lines that are written and whose text is not made yet. */
  #written: { from: number; to: number };
  #text = '';
  #dropped = 0;

  constructor(range: SettledRange) {
    this.#range = range;
    this.#texts = new LineTexts(range.output, range.begin);
    const { position, context, isWithinLine } = range.place;
    this.#written = { from: position, to: position };
    this.#isWithinLine = isWithinLine && context === position;
    if (!this.#isWithinLine) this.#starts.push({ position: context, lineFeeds: 0 });
  }

  async run(): Promise<SettledText> {
    const { output, place, isWhole, maxBytes } = this.#range;
    const scanner = new LineScanner(output.pieces, place.context);
    for (let line = scanner.next(); line; line = scanner.next()) {
      if (line.to > place.position) await this.#take(line);
      this.#note(line);
      if (!this.#drawing && line.to - place.position >= maxBytes) return this.#settled(line.to);
    }
    const { rest } = scanner;
    return isWhole ? this.#finish(rest) : this.#settled(rest.from);
  }

  close(): void {
    this.#texts.close();
  }

  async #take(line: ScannedLine): Promise<void> {
    const { output } = this.#range;
    const isDrawn = line.kind === 'drawn';
    if (!this.#drawing) {
      if (isDrawn) this.#draw(line);
      else await this.#add(line);
    }
    const drawing = this.#drawing;
    if (!drawing) return;
    if (isDrawn || output.isResizedBetween(line.from, line.to)) {
      drawing.lineFeeds = 0;
      drawing.settlesAt = output.sizeAt(line.to).rows + 1;
      return;
    }
    drawing.lineFeeds += line.lineFeeds;
    if (!line.isEnded || drawing.lineFeeds < drawing.settlesAt) return;
    const drawn = await this.#texts.drawn(drawing.context, line.to);
    // A drawing that has not settled, such as an alternate screen, is tried again once it is twice as long.
    if (drawn.isAtNewLine && drawn.lines.at(-1) === '') await this.#addDrawing(drawing, drawn);
    else drawing.settlesAt = 2 * drawing.lineFeeds;
  }

  /** Notes where the next line begins. */
  #note({ to, isEnded, lineFeeds }: ScannedLine): void {
    this.#lineFeeds += lineFeeds;
    this.#isWithinLine = !isEnded;
    if (isEnded) this.#starts.push({ position: to, lineFeeds: this.#lineFeeds });
    while (this.#starts[1] && this.#lineFeeds - this.#starts[1].lineFeeds >= this.#range.place.rows)
      this.#starts.shift();
    while (this.#starts[0] && to - this.#starts[0].position > CONTEXT_BYTES) this.#starts.shift();
  }

  /** Begins a drawing with this line. */
  #draw({ from, to }: ScannedLine): void {
    const settlesAt = this.#range.output.sizeAt(to).rows + 1;
    const isWithinLine = this.#isWithinLine;
    this.#drawing = { context: this.#contextAt(from), from, isWithinLine, lineFeeds: 0, settlesAt };
  }

  #contextAt(position: number): number {
    return this.#isWithinLine ? position : (this.#starts[0]?.position ?? position);
  }

  /** Adds the text of a line that is not drawn. */
  async #add(line: ScannedLine): Promise<void> {
    if (line.kind === 'written') {
      if (line.from !== this.#written.to) this.#addWritten(line.from);
      this.#written.to = line.to;
      // The text of a line that was cut does not depend on the text before the cut.
      if (!line.isEnded) this.#addWritten();
      return;
    }
    this.#addWritten();
    this.#text += await this.#texts.overwritten(line);
  }

  /** Adds the text of the written lines; later written lines begin at `next`. */
  #addWritten(next = this.#written.to): void {
    const { from, to } = this.#written;
    if (to > from) this.#text += this.#texts.written(from, to);
    this.#written = { from: next, to: next };
  }

  async #addDrawing({ context, from }: Drawing, { lines }: Drawn): Promise<void> {
    this.#addWritten();
    const { kept, known } = await this.#unchanged(context, from, lines);
    const drop = known - kept;
    const left = withoutLines(this.#text, drop);
    this.#text = left.text + lines.slice(kept).join('\n');
    this.#dropped += left.missing;
    this.#drawing = undefined;
    // It is unknown how many lines of the text belong to the last line feeds of a drawing.
    this.#starts = [];
  }

  /** Returns how many lines were known when a drawing began, and how many of them it has left as they were. */
  async #unchanged(context: number, from: number, lines: readonly string[]) {
    if (context === from) return { kept: 0, known: 0 };
    const scanner = new LineScanner(this.#range.output.pieces, context);
    let known = 0;
    for (let line = scanner.next(); line && line.to <= from; line = scanner.next()) {
      known += line.kind === 'written' ? line.lineFeeds : lineCount(await this.#texts.overwritten(line));
    }
    const { lines: before } = await this.#texts.drawn(context, from);
    // The last of the lines keeps no line feed, so it comes anew in any case.
    const most = before.length - 1 === known ? Math.min(known, Math.max(0, lines.length - 1)) : 0;
    let kept = 0;
    while (kept < most && before[kept] === lines[kept]) kept++;
    return { kept, known };
  }

  async #finish(rest: ScannedLine): Promise<SettledText> {
    const { output } = this.#range;
    const drawing = this.#drawing;
    if (!drawing && rest.kind === 'drawn') this.#draw(rest);
    if (this.#drawing) {
      await this.#addDrawing(this.#drawing, await this.#texts.drawn(this.#drawing.context, output.end));
    } else {
      this.#addWritten();
      const isOverwritten = rest.kind === 'overwritten';
      this.#text += isOverwritten ? await this.#texts.last(rest) : this.#texts.written(rest.from, rest.to);
    }
    return this.#settled(output.end);
  }

  /** @param position - where the line begins that is not settled, unless there is a drawing before it */
  #settled(position: number): SettledText {
    this.#addWritten();
    const { rows } = this.#range.place;
    const lines = { from: position, context: this.#contextAt(position), isWithinLine: this.#isWithinLine };
    const { from, context, isWithinLine } = this.#drawing ?? lines;
    return {
      dropped: this.#dropped,
      text: this.#text,
      place: { position: from, context, rows, isWithinLine },
    };
  }
}

function lineCount(text: string): number {
  return text.split('\n').length - 1;
}
