import type { History, Segment } from '../history.js';
import { plainText } from '../screen/text/plain-text.js';
import { renderTextNow } from '../screen/text/printed.js';
import type { ShellRange, ShellRanges } from '../stages/shell-ranges.js';

/** Most output before a position that is searched for what a screen shows, or rendered for one range. */
const SHOWN_BYTES = 64 * 1024;

const LF = 0x0a;

/** A range of output. */
interface Range {
  history: Pick<History, 'between'>;
  begin: number;
  end: number;
}

/** Separates, in an integrated shell, the output of programs from prompts and from what is typed at them. */
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
   * Returns the texts that programs have printed, each by itself. Of output at a prompt, returns the lines that ended
   * there and were not submitted, because a background job printed them.
   *
   * @param isQuiet - whether nothing was printed for BACKGROUND_MS
   */
  texts({ history, begin, end }: Range, isQuiet: boolean): string[] {
    const texts: string[] = [];
    for (const range of this.#ranges.between(begin, end)) {
      const from = Math.max(begin, range.kind === 'program' ? range.begin : (range.inputBegin ?? range.end));
      const to = Math.min(end, range.end);
      if (from >= to) continue;
      // Rendering takes 30 ns a byte: more output would delay other terminals.
      const { segments, size } = history.between(Math.max(from, to - SHOWN_BYTES), to);
      const text = textOf(segments, size);
      if (range.kind === 'program') texts.push(text);
      else texts.push(...backgroundLines(text, range, isQuiet));
    }
    return texts;
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

/**
 * Returns the lines that background programs printed at a prompt: ended lines, except those that show the submitted
 * command line. Returns none if the shell did not report the command line. At an open prompt, lines count only once it
 * is quiet, because until then one of them may just have been submitted.
 */
function backgroundLines(
  text: string,
  { end, commandLine }: ShellRange & { end: number },
  isQuiet: boolean,
): string[] {
  const lines = text.split('\n').slice(0, -1);
  if (!Number.isFinite(end)) return isQuiet ? lines : [];
  const typed = commandLine?.replace(/\s+/g, '') ?? '';
  return commandLine === undefined ? [] : lines.filter((line) => !shares(line.replace(/\s+/g, ''), typed));
}

/** Whether the line shows what was typed, behind a prompt or wrapped within it. */
function shares(line: string, typed: string): boolean {
  return typed !== '' && (line.includes(typed) || (line !== '' && typed.includes(line)));
}

/** Renders text without yielding the thread, because a question about the present state must be answered at once. */
function textOf(segments: readonly Segment[], size: { cols: number; rows: number }): string {
  const start = { ...size, row: size.rows - 1, col: 0, altScreen: false };
  return plainText(segments) ?? renderTextNow(segments, start);
}
