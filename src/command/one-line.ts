/** Controls, ends of lines, and characters that change the direction of the text around them. */
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

/** Returns a text that may come from a program in a form that cannot move the cursor. */
export function oneLine(text: string): string {
  return text.replace(UNSAFE, ' ').trim();
}

/** Returns lines in such a form, each by itself. */
export function safeLines(text: string): string {
  return text.split('\n').map(oneLine).join('\n');
}
