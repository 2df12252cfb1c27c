import type { TerminalView } from '../../client/index.js';
import { ageOf, type Column } from '../format.js';
import { oneLine } from '../one-line.js';
import { cut, stringWidth } from '../text-width.js';
import { labelsOf, lastOf, runsOf, stateOf } from '../verbs/ls.js';
import type { Style } from './style.js';

/** Most characters of a cell that are measured. */
const MAX_CELL_CHARS = 400;

/** Most cached widths of cells. */
const MAX_WIDTHS = 10_000;

/** Blanks between two columns. */
const GAP = 2;

/** A column of the live table. Widths are in columns of the terminal. */
export interface TopColumn extends Column<TerminalView> {
  min: number;
  /** Width that each column gets before any column gets more than its own `good`. */
  good: number;
  max: number;
  /** Where there is no room for all, the column with the lowest number is left out first. */
  rank: number;
  /** Shown only where all others have a good width. */
  isExtra?: boolean;
  isRight?: boolean;
  style?: (view: TerminalView) => Style | undefined;
}

const STATE_STYLES: Readonly<Record<string, Style>> = {
  waiting: 'yellow',
  working: 'cyan',
  busy: 'green',
  running: 'green',
  idle: 'dim',
  prompt: 'dim',
};

const NAMED: readonly TopColumn[] = [
  {
    title: 'STATE',
    value: stateOf,
    ...{ min: 7, good: 15, max: 15, rank: 9 },
    style: (view) => STATE_STYLES[stateOf(view)] ?? (hasFailed(view) ? 'red' : 'dim'),
  },
  { title: 'NAME', value: ({ name }) => name, ...{ min: 9, good: 20, max: 40, rank: 8 } },
  { title: 'RUNS', value: runsOf, ...{ min: 6, good: 12, max: 20, rank: 6 } },
  {
    title: 'LAST',
    value: (view) => lastOf(view, MAX_CELL_CHARS),
    ...{ min: 12, good: 30, max: 200, rank: 7 },
    style: (view) => (hasFailed(view) ? 'red' : undefined),
  },
  {
    title: 'AGE',
    value: ({ createdAt }) => ageOf(createdAt),
    ...{ min: 4, good: 4, max: 4, rank: 3, isRight: true },
  },
  { title: 'LABELS', value: ({ labels }) => labelsOf(labels), ...{ min: 8, good: 24, max: 60, rank: 2 } },
];

const ID: TopColumn = {
  title: 'ID',
  value: ({ id }) => id,
  min: 17,
  good: 17,
  max: 17,
  rank: 1,
  isExtra: true,
};

/** The columns in a window, where a person knows terminals by name. */
export const COLUMNS: readonly TopColumn[] = [...NAMED, ID];

/** The columns for programs, as in other lists. */
export const PRINTED_COLUMNS: readonly TopColumn[] = [ID, ...NAMED];

/** Whether the last thing that ended in a terminal has failed: its program, or the last command of its shell. */
export function hasFailed({ status, exitCode, command }: TerminalView): boolean {
  if (status === 'exited') return exitCode !== 0;
  return command !== null && command.endedAt !== null && command.exitCode !== null && command.exitCode !== 0;
}

/** A column with the width that it gets. */
export interface Fitted {
  column: TopColumn;
  width: number;
}

/** Returns the columns that fit into a width. A column is as wide as its widest cell, if there is room. */
export function layOut(
  columns: readonly TopColumn[],
  views: readonly TerminalView[],
  width: number,
): Fitted[] {
  const shown = columns.filter(({ isExtra }) => !isExtra);
  const taken = () => shown.reduce((sum, { min }) => sum + min + GAP, -GAP);
  for (const column of [...shown].sort((a, b) => a.rank - b.rank)) {
    if (taken() <= width || shown.length === 1) break;
    shown.splice(shown.indexOf(column), 1);
  }
  const fitted = shown.map((column) => ({ column, width: Math.min(column.min, width) }));
  let left = widen(fitted, 'good', views, width - taken());
  for (const column of columns.filter(({ isExtra }) => isExtra)) {
    if (left < column.min + GAP) continue;
    fitted.push({ column, width: column.min });
    left -= column.min + GAP;
  }
  widen(fitted, 'max', views, left);
  return fitted;
}

/** Gives each column the width that its cells need, up to a limit. Returns the width that is left. */
function widen(
  fitted: Fitted[],
  limit: 'good' | 'max',
  views: readonly TerminalView[],
  width: number,
): number {
  let left = Math.max(0, width);
  for (const entry of fitted) {
    if (left === 0) return 0;
    const { column } = entry;
    const wanted = Math.min(column[limit], widest(column, views));
    const more = Math.max(0, Math.min(left, wanted - entry.width));
    entry.width += more;
    left -= more;
  }
  return left;
}

function widest(column: TopColumn, views: readonly TerminalView[]): number {
  let width = column.title.length;
  for (const view of views) {
    if (width >= column.max) return column.max;
    width = Math.max(width, widthOf(cellOf(column, view)));
  }
  return width;
}

/** Returns the text of a cell, which cannot move the cursor. */
export function cellOf({ value }: TopColumn, view: TerminalView): string {
  return oneLine(value(view).slice(0, MAX_CELL_CHARS));
}

/** Returns a text in exactly this width. */
export function padded(text: string, width: number, isRight = false): string {
  const kept = cut(text, width);
  const blanks = ' '.repeat(Math.max(0, width - stringWidth(kept)));
  return isRight ? blanks + kept : kept + blanks;
}

/** Puts cells beside each other. */
export function joined(cells: readonly string[]): string {
  return cells.join(' '.repeat(GAP));
}

const widths = new Map<string, number>();

/** Measuring takes long for all but plain characters, and most cells are the same as half a second ago. */
function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = widths.get(text);
  if (width !== undefined) return width;
  width = stringWidth(text);
  if (widths.size >= MAX_WIDTHS) widths.clear();
  widths.set(text, width);
  return width;
}
