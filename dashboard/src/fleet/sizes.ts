const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Returns a number of bytes in a unit that keeps it short: `12.3 MiB`. */
export function sizeOf(bytes: number): string {
  let size = bytes;
  let unit = 0;
  for (; size >= 1_024 && unit < UNITS.length - 1; unit++) size /= 1_024;
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`;
}
