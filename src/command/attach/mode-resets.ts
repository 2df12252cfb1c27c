/** States without a mode number of their own, each with the sequence that resets it. */
export const RESETS = {
  synchronized: '\x1b[?2026l',
  attributes: '\x1b[m',
  link: '\x1b]8;;\x1b\\',
  charsets: '\x0f\x1b(B\x1b)B\x1b*B\x1b+B',
  keypad: '\x1b>',
  eightBitControls: '\x1b F',
  cursorStyle: '\x1b[ q',
  protection: '\x1b[0"q',
  palette: '\x1b]104\x1b\\',
  colors: '\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\',
  progress: '\x1b]9;4;0\x1b\\',
  pointer: '\x1b]22;\x1b\\',
} as const;

export type State = keyof typeof RESETS;

/** Sets a tab stop at every eighth column, and nowhere else. */
export function tabStops(cols: number): string {
  let text = '\x1b7\x1b[3g\r';
  for (let col = 8; col < cols; col += 8) text += '\x1b[8C\x1bH';
  return `${text}\x1b8`;
}
