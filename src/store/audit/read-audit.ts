import { createReadStream } from 'node:fs';
import { segmentsIn } from './segments.js';

const LF = 0x0a;

/** A line of the log as it is on the disk, without its line feed. */
export interface ReadLine {
  text: string;
  /** Name of its file, and its number in that file, from 1 on. */
  path: string;
  row: number;
  /** Bytes of the file up to the end of the line, its line feed included. */
  end: number;
}

/**
 * Reads the lines of the log in a folder, oldest first, from line number `from` on or earlier, or from the line behind
 * `from`, up to the present last line. Throws the errors of the file system. A file that is deleted meanwhile is left
 * out; if the log was trimmed, the reading goes on with the remaining lines.
 *
 * @param onTrimmed - called between two lines if the log was trimmed there: all lines before the next are gone
 */
export async function* readAudit(
  folder: string,
  from: number | Omit<ReadLine, 'text'> = 1,
  onTrimmed = () => {},
): AsyncGenerator<ReadLine> {
  const all = segmentsIn(folder);
  const begin =
    typeof from === 'number'
      ? all.findLastIndex(({ first }) => first <= from)
      : all.findIndex(({ path }) => path === from.path);
  let segments = all.slice(Math.max(0, begin));
  for (let segment = segments.shift(); segment; segment = segments.shift()) {
    const { path, first } = segment;
    const isBehind = typeof from !== 'number' && from.path === path;
    let row = isBehind ? from.row : 0;
    let isBegun = false;
    try {
      for await (const line of linesOf(path, isBehind ? from.end : 0)) {
        isBegun = true;
        yield { ...line, path, row: ++row };
      }
    } catch (error) {
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isGone || isBegun) throw error;
      const left = segmentsIn(folder);
      // The service deletes only the oldest files. A file that is missing between others is left out, so that a check
      // notices.
      if (left[0] === undefined || left[0].first <= first) continue;
      onTrimmed();
      segments = left;
    }
  }
}

/** Yields the lines of a file that have ended, from a place in bytes on. */
async function* linesOf(path: string, start: number): AsyncGenerator<Pick<ReadLine, 'text' | 'end'>> {
  const input = createReadStream(path, { start });
  let rest = Buffer.alloc(0);
  let end = start;
  try {
    for await (const piece of input as AsyncIterable<Buffer>) {
      const bytes = Buffer.concat([rest, piece]);
      let begin = 0;
      for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, begin)) {
        end += at + 1 - begin;
        yield { text: bytes.toString('utf8', begin, at), end };
        begin = at + 1;
      }
      rest = bytes.subarray(begin);
    }
  } finally {
    input.destroy();
  }
}
