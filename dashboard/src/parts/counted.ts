/** Returns a number with the name of what it counts, which gets an `s` unless it is one: `1 terminal`, `1,200 terminals`. */
export function counted(count: number, name: string): string {
  return `${count.toLocaleString()} ${name}${count === 1 ? '' : 's'}`;
}
