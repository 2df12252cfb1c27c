/** A line of a terminal, which may be wrapped over several rows, and its first row. */
export interface ShownLine {
  row: number;
  text: string;
}

/**
 * Returns the row at which a command was typed: of the lines that end with it, the `newer`-th from the end, counted
 * from 0. Undefined if the page no longer has that line.
 */
export function rowOfCommand(
  lines: readonly ShownLine[],
  commandLine: string,
  newer: number,
): number | undefined {
  const [first = ''] = commandLine.trim().split('\n');
  const wanted = first.trimEnd();
  if (wanted === '') return undefined;
  const found = lines.filter(({ text }) => text.trimEnd().endsWith(wanted));
  return found.at(-1 - newer)?.row;
}
