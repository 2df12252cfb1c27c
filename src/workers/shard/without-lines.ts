/** Returns the text without its last `count` lines, which end with a line feed; `missing` is how many it lacks. */
export function withoutLines(text: string, count: number): { text: string; missing: number } {
  let end = text.length;
  for (let left = count; left > 0; left--) {
    if (end === 0) return { text: '', missing: left };
    end = end < 2 ? 0 : text.lastIndexOf('\n', end - 2) + 1;
  }
  return { text: text.slice(0, end), missing: 0 };
}
