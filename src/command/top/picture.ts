import type { TerminalSize, TerminalView } from '../../client/index.js';
import { oneLine } from '../one-line.js';
import { cut, stringWidth } from '../text-width.js';
import { stateOf } from '../verbs/ls.js';
import { COLUMNS, cellOf, type Fitted, joined, layOut, padded } from './columns.js';
import type { Painter } from './style.js';
import type { TopTable } from './table.js';

/** Lines above and below the rows: the summary, the titles, and the help on keys. */
const FRAME_LINES = 3;

const HINTS = [
  'enter attach  / filter  s sort  c close  ? help  q quit',
  'enter attach  / filter  ? help  q quit',
];

const HELP = [
  'j k, arrows  select a terminal',
  'PgUp, PgDn   move by pages',
  'Home, End    the first, the last',
  'Enter        attach; detach to return',
  '/            filter: words in name, id,',
  '             labels, program',
  'Esc          without the filter',
  's            the next order',
  'c            close, after a question',
  'q, ctrl+c    leave',
  'ctrl+z       stop; fg goes on',
  '',
  'Any key returns to the table.',
];

/** Parts of a picture beside the table. */
export interface Surroundings {
  size: TerminalSize;
  paint: Painter;
  /** Reason why the table is outdated; empty if it is current. */
  trouble: string;
}

/** Returns the lines of the screen, none wider than it. */
export function picture(table: TopTable, { size, paint, trouble }: Surroundings): string[] {
  const { cols, rows } = size;
  const height = Math.max(0, rows - FRAME_LINES);
  const body = table.mode.kind === 'help' ? helpLines(cols) : tableLines(table, height, cols, paint);
  const top = trouble === '' ? summary(table, cols, paint) : paint(cut(trouble, cols), 'reverse', 'red');
  const filled = Array.from({ length: height + 1 }, (_, row) => body[row] ?? '');
  return [top, ...filled, footer(table, cols, paint)].slice(0, rows);
}

function helpLines(cols: number): string[] {
  return ['', ...HELP].map((line) => cut(line, cols));
}

/** Returns the titles, and the rows below them. */
function tableLines(table: TopTable, height: number, cols: number, paint: Painter): string[] {
  const { rows, filter, views } = table;
  if (rows.length === 0) {
    const none =
      views.length === 0 ? 'No terminal runs; auto-terminal new makes one' : `Nothing has ${filter}`;
    return ['', paint(cut(none, cols), 'dim')];
  }
  const fitted = layOut(COLUMNS, rows, cols);
  const titles = fitted.map(({ column, width }) => {
    const isSorted = column.title.toLowerCase() === table.sort;
    return paint(padded(column.title, width, column.isRight), 'bold', isSorted ? 'underline' : undefined);
  });
  const selected = table.selected?.id;
  return [
    joined(titles),
    ...table.window(height).map((view) => rowOf(view, fitted, view.id === selected ? cols : 0, paint)),
  ];
}

/** @param selectedCols - columns of the whole row if it is the selected one, else 0 */
function rowOf(view: TerminalView, fitted: readonly Fitted[], selectedCols: number, paint: Painter): string {
  const cells = fitted.map(({ column, width }) => {
    const text = padded(cellOf(column, view), width, column.isRight);
    return selectedCols > 0 ? text : paint(text, column.style?.(view));
  });
  const row = joined(cells);
  return selectedCols > 0 ? paint(padded(row, selectedCols), 'reverse') : row;
}

/** Returns the number of terminals, the number that need a person, and the part that is shown. */
function summary(table: TopTable, cols: number, paint: Painter): string {
  const { views, rows, filter, sort, range } = table;
  const count = (state: string) => views.filter((view) => stateOf(view) === state).length;
  const waiting = count('waiting');
  const shown = rows.length === views.length ? `${views.length}` : `${rows.length} of ${views.length}`;
  const parts = [
    `${shown} terminal${views.length === 1 ? '' : 's'}`,
    ...(waiting > 0 ? [paint(`${waiting} waiting`, 'yellow')] : []),
    ...['working', 'busy'].flatMap((state) => (count(state) > 0 ? [`${count(state)} ${state}`] : [])),
    ...(range.to - range.from < rows.length ? [`rows ${range.from + 1} to ${range.to}`] : []),
    `by ${sort}`,
    ...(filter === '' ? [] : [`with ${oneLine(filter)}`]),
  ];
  let line = '';
  let width = 0;
  for (const part of parts) {
    const taken = stringWidth(part) + (line === '' ? 0 : 2);
    if (width + taken > cols) break;
    line += (line === '' ? '' : '  ') + part;
    width += taken;
  }
  return line;
}

function footer({ mode, message, filter }: TopTable, cols: number, paint: Painter): string {
  switch (mode.kind) {
    case 'filter':
      // The person types at the end of the filter, so the end is shown.
      return cols < 2 ? '/' : `/${tail(oneLine(filter), cols - 2)}${paint(' ', 'reverse')}`;
    case 'closing': {
      const { name, id, clients } = mode.view;
      const watched = clients > 0 ? ', which is being watched' : '';
      const question = `Close ${oneLine(name) || id}${watched}, with everything that runs in it? y/n`;
      return paint(cut(question, cols), 'bold');
    }
    default:
      if (message !== '') return paint(cut(oneLine(message), cols), 'bold');
      return paint(cut(HINTS.find(({ length }) => length <= cols) ?? '', cols), 'dim');
  }
}

/** Returns the end of a text that is at most so wide. */
function tail(text: string, width: number): string {
  let rest = [...text];
  while (stringWidth(rest.join('')) > Math.max(0, width)) rest = rest.slice(1);
  return rest.join('');
}
