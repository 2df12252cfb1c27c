import { RGB_COLOR } from '../../../src/client/browser.js';

/** The colours in which screens are painted. */
export interface Palette {
  foreground: string;
  background: string;
  cursor: string;
  /** The first 16 colours of the palette. */
  ansi: readonly string[];
}

/** Chosen so that each colour that programs use for text has a contrast of at least 4.5 to 1. */
const DARK: Palette = {
  foreground: '#d6d9df',
  background: '#101216',
  cursor: '#7aa2f7',
  ansi: [
    ...['#3b4048', '#f07178', '#8cc570', '#e0b061', '#6ea8f7', '#c792ea', '#5fc1c9', '#c8ccd4'],
    ...['#8a919e', '#ff8b92', '#a5dd8a', '#f2c67a', '#8dbcff', '#d9aef5', '#7fd8df', '#f2f4f8'],
  ],
};

const LIGHT: Palette = {
  foreground: '#1f2328',
  background: '#ffffff',
  cursor: '#0550ae',
  ansi: [
    ...['#1f2328', '#b3261e', '#1a6b2b', '#7a5200', '#0550ae', '#7b3fb5', '#0b6472', '#57606a'],
    ...['#4d545c', '#a40e26', '#116329', '#633c01', '#0a3d8f', '#6639a6', '#1b5a66', '#24292f'],
  ],
};

const CONTRAST: Palette = {
  foreground: '#ffffff',
  background: '#000000',
  cursor: '#ffff00',
  ansi: [
    ...['#767676', '#ff9a9a', '#8aff8a', '#ffe066', '#9ac7ff', '#f0b0ff', '#7ff4ff', '#ffffff'],
    ...['#a6a6a6', '#ffb8b8', '#b0ffb0', '#fff0a0', '#bcd9ff', '#f7ccff', '#b0faff', '#ffffff'],
  ],
};

export const PALETTES = { dark: DARK, light: LIGHT, contrast: CONTRAST } as const;
export type ThemeName = keyof typeof PALETTES;

/** The levels of red, green and blue in the colour cube of 256 colours. */
const LEVELS = [0, 95, 135, 175, 215, 255];

/** Returns the CSS colour of a run's `fg` or `bg`; undefined for the default colour. */
export function cssColor(color: number, palette: Palette): string | undefined {
  if (color < 0) return undefined;
  if (color >= RGB_COLOR) return `#${(color - RGB_COLOR).toString(16).padStart(6, '0')}`;
  if (color < 16) return palette.ansi[color];
  if (color >= 232) {
    const level = 8 + (color - 232) * 10;
    return `rgb(${level},${level},${level})`;
  }
  const at = color - 16;
  return `rgb(${LEVELS[Math.floor(at / 36)]},${LEVELS[Math.floor(at / 6) % 6]},${LEVELS[at % 6]})`;
}
