/** Colours of the page, for what has none of its own. */
export const PAGE = { color: '#d7dce2', background: '#0d1117' };

/** Those of VS Code's dark terminal: letters in any of them can be read on any other that programs put them on. */
const BASE = [
  ...['#000000', '#cd3131', '#0dbc79', '#e5e510', '#2472c8', '#bc3fbc', '#11a8cd', '#e5e5e5'],
  ...['#666666', '#f14c4c', '#23d18b', '#f5f543', '#3b8eea', '#d670d6', '#29b8db', '#ffffff'],
];

/** A colour of the 256 for CSS: the base, a cube of 6 x 6 x 6, greys. Undefined above them. */
export function indexed(index = 0): string | undefined {
  if (index < 16) return BASE[index];
  if (index > 255) return undefined;
  if (index >= 232) return rgb(Array.from({ length: 3 }, () => 8 + (index - 232) * 10));
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return rgb([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}

/** Red, green and blue for CSS; what is above 255 counts as that. */
export function rgb([red = 0, green = 0, blue = 0]: readonly number[]): string {
  return `#${[red, green, blue].map((value) => Math.min(value, 255).toString(16).padStart(2, '0')).join('')}`;
}
