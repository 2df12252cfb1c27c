/** A line of a comparison: in both texts, only in the reference, or only in the other text. */
export interface DiffLine {
  kind: 'both' | 'gone' | 'new';
  text: string;
}

/** Most lines of a text: the comparison takes time and memory in proportion to the product of the numbers of lines. */
export const MAX_DIFF_LINES = 2_000;

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}

/**
 * Compares two texts line by line, by their longest common subsequence. Returns undefined if a text has more than
 * {@link MAX_DIFF_LINES} lines.
 */
export function diffOf(reference: string, other: string): DiffLine[] | undefined {
  const a = linesOf(reference);
  const b = linesOf(other);
  if (a.length > MAX_DIFF_LINES || b.length > MAX_DIFF_LINES) return undefined;
  // Most texts have equal beginnings and ends, which are skipped at no cost.
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const both = (text: string): DiffLine => ({ kind: 'both', text });
  return [
    ...a.slice(0, head).map(both),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(both),
  ];
}

function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  // lengths[i * width + j]: length of the longest common subsequence of a from i and b from j.
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'both', text: a[i]! });
      i++;
      j++;
    } else if (
      j >= b.length ||
      (i < a.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
    ) {
      lines.push({ kind: 'gone', text: a[i++]! });
    } else {
      lines.push({ kind: 'new', text: b[j++]! });
    }
  }
  return lines;
}

/** Lines around a difference that are shown with it. */
const AROUND = 3;

/** Replaces long stretches without a difference by the number of their lines. */
export function foldedDiff(lines: readonly DiffLine[]): Array<DiffLine | { kind: 'folded'; count: number }> {
  const isNear = new Uint8Array(lines.length);
  lines.forEach(({ kind }, at) => {
    if (kind !== 'both') isNear.fill(1, Math.max(0, at - AROUND), at + AROUND + 1);
  });
  const folded: Array<DiffLine | { kind: 'folded'; count: number }> = [];
  lines.forEach((line, at) => {
    const last = folded.at(-1);
    if (isNear[at]) folded.push(line);
    else if (last?.kind === 'folded') last.count++;
    else folded.push({ kind: 'folded', count: 1 });
  });
  return folded;
}
