/** Returns a count with its noun, in the plural unless the count is one: `1 terminal`, `1,200 terminals`. */
export function counted(count: number, name: string): string {
  return `${count.toLocaleString()} ${name}${count === 1 ? '' : 's'}`;
}
