import { LF } from '../../ascii.js';
import type { History, Segment } from '../history.js';
import { OutputBytes } from '../output-bytes.js';
import { plainText } from '../screen/text/plain-text.js';
import { printStart } from '../screen/text/print-start.js';
import { renderTextSteps } from '../screen/text/printed.js';
import type { ShellRange, ShellRanges } from '../stages/shell-ranges.js';
import type { Steps } from '../steps.js';

/** Most bytes before a position that are searched for the output on a screen, or rendered for one range. */
const SHOWN_BYTES = 64 * 1024;

/** A range of output. */
interface Range {
  history: Pick<History, 'between'>;
  begin: number;
  end: number;
}

/** Separates, in an integrated shell, the output of programs from prompts and the text typed at them. */
export class ProgramText {
  readonly #ranges: ShellRanges;

  constructor(ranges: ShellRanges) {
    this.#ranges = ranges;
  }

  /** Whether no shell reports its prompts. All output then counts as a program's. */
  get isUnknown(): boolean {
    return !this.#ranges.isTold;
  }

  /**
   * Returns the parts of `bytes`, which end at position `end`, that programs have printed. A part is `fresh` if it does
   * not continue a range of program output that began before `bytes`.
   */
  portions(bytes: Uint8Array, end: number): { bytes: Uint8Array; fresh: boolean }[] {
    const begin = end - bytes.length;
    return this.#ranges.between(begin, end).flatMap((range) =>
      range.kind === 'program'
        ? [
            {
              bytes: bytes.subarray(Math.max(0, range.begin - begin), range.end - begin),
              fresh: range.begin >= begin,
            },
          ]
        : [],
    );
  }

  /**
   * Reads the range, and returns steps that make the texts that programs have printed in it, each by itself. Of output
   * at a prompt, these are the lines that ended there and were not submitted, because a background job printed them.
   *
   * @param isQuiet - whether nothing was printed for BACKGROUND_MS
   */
  textSteps({ history, begin, end }: Range, isQuiet: boolean): Steps<string[]> {
    // Read once: each reading unpacks all pieces of the history that it touches.
    const { segments, size } = history.between(begin, end);
    const output = new OutputBytes(segments, end, size);
    return textsOf(output, this.#ranges.between(begin, end), isQuiet);
  }

  /** Returns the position from which output can still be on a screen with this number of rows. */
  shownFrom({ history, end }: Omit<Range, 'begin'>, rows: number): number {
    const { segments } = history.between(Math.max(0, end - SHOWN_BYTES), end);
    let [position, lines] = [end, 0];
    for (const segment of [...segments].reverse()) {
      if (!('bytes' in segment)) continue;
      for (let at = segment.bytes.length - 1; at >= 0; at--) {
        if (segment.bytes[at] === LF && ++lines > rows) return position - segment.bytes.length + at + 1;
      }
      position -= segment.bytes.length;
    }
    return position;
  }
}

function* textsOf(
  output: OutputBytes,
  ranges: readonly (ShellRange & { end: number })[],
  isQuiet: boolean,
): Steps<string[]> {
  const texts: string[] = [];
  for (const range of ranges) {
    const from = range.kind === 'program' ? range.begin : (range.inputBegin ?? range.end);
    const to = Math.min(output.end, range.end);
    // Rendering takes 30 ns a byte.
    const begin = Math.max(output.begin, from, to - SHOWN_BYTES);
    if (begin >= to) continue;
    const segments = output.between(begin, to);
    if (range.kind === 'prompt' && !mayHaveBackgroundLines(segments, range, isQuiet)) continue;
    const text = plainText(segments) ?? (yield* renderTextSteps(segments, printStart(output.sizeAt(begin))));
    if (range.kind === 'program') texts.push(text);
    else texts.push(...backgroundLines(text, range));
    yield;
  }
  return texts;
}

/**
 * Returns whether background programs may have printed lines at a prompt. At an open prompt, lines count only once it
 * is quiet, because until then a line may just have been submitted. No line counts if the shell did not report the
 * command line: most prompts have no other line end than that of the command line, a rendering takes milliseconds, and
 * there may be thousands.
 */
function mayHaveBackgroundLines(
  segments: readonly Segment[],
  { end, commandLine }: ShellRange & { end: number },
  isQuiet: boolean,
): boolean {
  if (!Number.isFinite(end)) return isQuiet;
  return commandLine !== undefined && lineFeeds(segments) > 1;
}

function lineFeeds(segments: readonly Segment[]): number {
  let count = 0;
  for (const segment of segments) {
    if (!('bytes' in segment)) continue;
    const { bytes } = segment;
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count++;
  }
  return count;
}

/** Returns the ended lines of a prompt, except the lines that show the submitted command line. */
function backgroundLines(text: string, { end, commandLine }: ShellRange & { end: number }): string[] {
  const lines = text.split('\n').slice(0, -1);
  if (!Number.isFinite(end)) return lines;
  const typed = commandLine?.replace(/\s+/g, '') ?? '';
  return lines.filter((line) => !shares(line.replace(/\s+/g, ''), typed));
}

/** Returns whether the line shows the typed text behind a prompt, or a wrapped part of it. */
function shares(line: string, typed: string): boolean {
  return typed !== '' && (line.includes(typed) || (line !== '' && typed.includes(line)));
}
