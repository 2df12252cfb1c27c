import type { AutoTerminal } from '../client/index.js';

/** Output of a terminal up to a cursor, which what is printed next continues. */
export interface Latest {
  /** With a line feed at its end unless its last line is unfinished. */
  text: string;
  /** None if the terminal is gone. */
  cursor: string | undefined;
}

/**
 * Resolves with the last lines of a terminal. Pages of lines reach back before a restart of the service, but do not
 * show whether the last line is finished, nor its last blanks; these come from the text as it was printed. If the
 * terminal has printed between the two answers, all lines come from that text.
 */
export async function latestLines(
  client: Pick<AutoTerminal, 'terminals'>,
  id: string,
  { lines, signal }: { lines: number; signal: AbortSignal },
): Promise<Latest> {
  const { changes } = await client.terminals.changes({ [id]: null }, { signal });
  const page = await client.terminals.get(id).output({ lines, signal });
  const [printed] = changes;
  if (printed && printed.cursor !== page.cursor)
    return { text: lastOf(printed.raw, lines), cursor: printed.cursor };
  return { text: joined(page.raw, unfinishedOf(printed?.raw ?? '')), cursor: page.cursor };
}

/** Returns lines of a page as text whose last line is this unfinished one, if there is any. */
function joined(page: string, unfinished: string): string {
  if (page === '') return '';
  const shown = unfinished.trimEnd();
  if (shown === '') return `${page}\n${unfinished}`;
  const isLast = page === shown || page.endsWith(`\n${shown}`);
  return isLast ? `${page.slice(0, page.length - shown.length)}${unfinished}` : `${page}\n`;
}

function unfinishedOf(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1);
}

function lastOf(text: string, lines: number): string {
  const all = text.split('\n');
  // Behind the last line feed, there is no line yet.
  const isFinished = all.at(-1) === '';
  return lines === 0 ? '' : all.slice(-lines - (isFinished ? 1 : 0)).join('\n');
}
