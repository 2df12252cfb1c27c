import stringWidth from 'string-width';

// A file of its own, since the tables of string-width take as long to load as everything else of a verb.
export { stringWidth };

/** Cuts a line that has more columns than `width`, and marks the place. */
export function cut(line: string, width: number): string {
  if (stringWidth(line) <= width) return line;
  let kept = '';
  let used = 0;
  for (const character of line) {
    used += stringWidth(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
