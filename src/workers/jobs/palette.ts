/** Default colours of text and background. */
export const PAGE = { color: '#d7dce2', background: '#0d1117' };

/** The 16 colours of VS Code's dark terminal: readable in all combinations that programs use. */
const BASE = [
  ...['#000000', '#cd3131', '#0dbc79', '#e5e510', '#2472c8', '#bc3fbc', '#11a8cd', '#e5e5e5'],
  ...['#666666', '#f14c4c', '#23d18b', '#f5f543', '#3b8eea', '#d670d6', '#29b8db', '#ffffff'],
];

/** Returns one of the 256 colours for CSS: 16 base colours, a cube of 6 x 6 x 6, greys. Undefined above 255. */
export function indexed(index = 0): string | undefined {
  if (index < 16) return BASE[index];
  if (index > 255) return undefined;
  if (index >= 232) return rgb(Array.from({ length: 3 }, () => 8 + (index - 232) * 10));
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return rgb([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}

/** Returns red, green and blue as a CSS colour; values above 255 count as 255. */
export function rgb([red = 0, green = 0, blue = 0]: readonly number[]): string {
  return `#${[red, green, blue].map((value) => Math.min(value, 255).toString(16).padStart(2, '0')).join('')}`;
}
