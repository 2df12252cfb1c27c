import { createReadStream } from 'node:fs';
import { segmentsIn } from './segments.js';

/** A line of the log as it is on the disk, without its line feed. */
export interface ReadLine {
  text: string;
  /** Name of its file, and its number in that file, from 1 on. */
  path: string;
  row: number;
}

/**
 * Reads the lines of the log in a folder, oldest first, from line number `from` on or earlier, up to the present last
 * line. Throws the errors of the file system. A file that is deleted meanwhile is left out; if the log was trimmed, the
 * reading goes on with the remaining lines.
 *
 * @param onTrimmed - called between two lines if the log was trimmed there: all lines before the next are gone
 */
export async function* readAudit(folder: string, from = 1, onTrimmed = () => {}): AsyncGenerator<ReadLine> {
  const all = segmentsIn(folder);
  const begin = all.findLastIndex(({ first }) => first <= from);
  let segments = all.slice(Math.max(0, begin));
  for (let segment = segments.shift(); segment; segment = segments.shift()) {
    const { path, first } = segment;
    let row = 0;
    try {
      for await (const text of linesOf(path)) yield { text, path, row: ++row };
    } catch (error) {
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isGone || row > 0) throw error;
      const left = segmentsIn(folder);
      // The service deletes only the oldest files. A file that is missing between others is left out, so that a check
      // notices.
      if (left[0] === undefined || left[0].first <= first) continue;
      onTrimmed();
      segments = left;
    }
  }
}

/** Yields the lines of a file that have ended. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const input = createReadStream(path, 'utf8');
  let rest = '';
  try {
    for await (const piece of input as AsyncIterable<string>) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
  } finally {
    input.destroy();
  }
}
