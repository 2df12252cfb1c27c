/** Bounds of a figure. */
interface Bound {
  min?: number;
  max?: number;
}

/** One line of the bench's table. */
export interface Row {
  name: string;
  /** Our figure, the median of the rounds. */
  value: number;
  unit: string;
  /** The peer that our figure is compared with, measured in the same run and unit. */
  peer?: { name: string; value: number };
  /** CPU seconds that all processes of each side used for the figure, without the programs in the terminals. */
  cpu?: { ours: number; peer?: number };
  /** Target for the ratio to the peer, or for the figure itself. */
  target?: { ratio?: Bound; value?: Bound };
  /** Whether a missed target ends the bench with 1, whatever the baseline says: for answers that must not be wrong. */
  isRequired?: boolean;
  /** Better direction of the figure. By default the target decides, else the unit: more if per second, less if not. */
  better?: 'more' | 'less';
  /** Share by which the figure may be worse than the baseline. A tolerance in the baseline file overrides it. */
  tolerance?: number;
  /** A remark for the reader, such as why a peer has no figure. */
  note?: string;
}

/** Comparison of a row with an earlier run. */
interface Comparison {
  /** Figure of the earlier run; a ratio if the row has a peer. */
  before: number;
  now: number;
  /** Whether the figure is worse than the tolerance allows. */
  worse: boolean;
}

export type Comparisons = ReadonlyMap<string, Comparison>;

/** Returns our figure divided by the peer's; undefined without a peer. */
export function ratioOf({ value, peer }: Row): number | undefined {
  return peer && value / peer.value;
}

/** Returns whether the target was met; undefined without a target, or without the peer that the target needs. */
export function isMet(row: Row): boolean | undefined {
  if (!row.target) return undefined;
  const checks = [
    [row.target.ratio, ratioOf(row)],
    [row.target.value, row.value],
  ] as const;
  const wanted = checks.filter(([bound]) => bound !== undefined);
  if (wanted.some(([, figure]) => figure === undefined)) return undefined;
  return wanted.every(
    ([bound, figure]) => figure! >= (bound?.min ?? -Infinity) && figure! <= (bound?.max ?? Infinity),
  );
}

/** Returns whether a larger figure, and so a larger ratio, is better. */
export function isMoreBetter({ better, target, unit }: Row): boolean {
  if (better) return better === 'more';
  const bound = target?.ratio ?? target?.value;
  return bound ? bound.min !== undefined : unit.endsWith('/s');
}

/** Returns the rows as JSON, with ratios, whether targets were met, and comparisons with the baseline. */
export function toJson(rows: readonly Row[], comparisons: Comparisons): object {
  const { platform, arch, version } = process;
  return {
    ...{ node: version, platform, arch },
    rows: rows.map((row) => ({
      ...row,
      ratio: ratioOf(row),
      met: isMet(row),
      baseline: comparisons.get(row.name),
    })),
  };
}

/** Returns the rows as a table in plain text. */
export function toTable(rows: readonly Row[], comparisons: Comparisons): string {
  const cells = rows.map((row) => [
    row.name,
    `${format(row.value)} ${row.unit}`,
    row.peer ? `${format(row.peer.value)} ${row.unit}` : '',
    format(ratioOf(row)),
    wanted(row),
    format(row.cpu?.ours),
    format(row.cpu?.peer),
    versus(comparisons.get(row.name)),
    [row.peer && `beside ${row.peer.name}`, row.note].filter(Boolean).join('; '),
  ]);
  const head = ['', 'ours', 'peer', 'ratio', 'target', 'CPU s', 'peer CPU s', 'baseline', ''];
  const lines = [head, ...cells];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const last = head.length - 1;
  return lines
    .map((line) =>
      line.map((cell, column) => {
        if (column === 0) return cell.padEnd(widths[0]!);
        return column === last ? cell : cell.padStart(widths[column]!);
      }),
    )
    .map((line) => `${line.join('  ').trimEnd()}\n`)
    .join('');
}

/** Returns the target in words, and whether it was met. */
function wanted(row: Row): string {
  const { ratio, value } = row.target ?? {};
  const words = [...spell(ratio, ' x'), ...spell(value, ` ${row.unit}`)].join(', ');
  const met = isMet(row);
  return met === undefined ? words : `${words} ${met ? 'met' : 'MISSED'}`;
}

function spell(bound: Bound | undefined, unit: string): string[] {
  const { min, max } = bound ?? {};
  return [
    ...(min === undefined ? [] : [`>= ${Number(min.toPrecision(3))}${unit}`]),
    ...(max === undefined ? [] : [`<= ${Number(max.toPrecision(3))}${unit}`]),
  ];
}

function versus(comparison: Comparison | undefined): string {
  if (!comparison) return '';
  return `${format(comparison.before)}${comparison.worse ? ' WORSE' : ''}`;
}

function format(value: number | undefined): string {
  if (value === undefined) return '';
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
