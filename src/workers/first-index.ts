/** Returns the first index below `count` with this property, which all later ones have too; `count` if none has. */
export function firstIndex(count: number, has: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (has(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
