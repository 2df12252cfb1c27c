/** Returns the title of a window: how many terminals need a person, and the subject of its page. */
export function titleOf(count: number, subject?: string): string {
  const title = subject === undefined ? 'auto-terminal' : `auto-terminal: ${subject}`;
  return count > 0 ? `(${count}) ${title}` : title;
}
