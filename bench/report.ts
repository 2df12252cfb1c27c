/** One line of the bench's table. */
export interface Row {
  name: string;
  value: number;
  unit: string;
  /** What it is measured beside, in the same run and unit. */
  peer?: { name: string; value: number };
}

/** The rows as JSON, with the ratio to the peer where there is one. */
export function toJson(rows: readonly Row[]): object {
  const { platform, arch, version } = process;
  return { node: version, platform, arch, rows: rows.map((row) => ({ ...row, ratio: ratio(row) })) };
}

/** The rows as a table in plain text. */
export function toTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    `${format(row.value)} ${row.unit}`,
    row.peer ? `${format(row.peer.value)} ${row.unit}` : '',
    row.peer ? format(ratio(row) ?? Number.NaN) : '',
    row.peer?.name ?? '',
  ]);
  const lines = [['', 'ours', 'peer', 'ratio', ''], ...cells];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))),
    )
    .map((line) => `${line.join('  ').trimEnd()}\n`)
    .join('');
}

function ratio({ value, peer }: Row): number | undefined {
  return peer && value / peer.value;
}

function format(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
