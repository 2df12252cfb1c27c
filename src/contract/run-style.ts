// This file does without zod, since the pages of the dashboard draw by these numbers.

/** Flags of a styled run of a screen row, added up. */
export const RUN_FLAGS = {
  bold: 1,
  dim: 2,
  italic: 4,
  underline: 8,
  blink: 16,
  inverse: 32,
  hidden: 64,
  struck: 128,
  overlined: 256,
} as const;

/** Added to red, green and blue in the colour of a run; smaller numbers are of the palette, -1 is the default colour. */
export const RGB_COLOR = 0x100_0000;
