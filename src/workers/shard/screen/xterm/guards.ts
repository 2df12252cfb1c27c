import { boundCells, MAX_CELL_MARKS } from '../serialize/cell-bound.js';
import { LinkTable } from '../serialize/link-table.js';
import { Content, type FunctionId, type RawParams, type XtermInternals } from './internals.js';

/** Most code points that one REP may print: 16 MiB of memory for a moment. */
const MAX_REPEATED = 4 * 1024 * 1024;

/**
 * Keeps sequences of a few bytes from blocking the thread or breaking the parser. In a bare xterm, scrolling or
 * inserting 1,000,000 lines takes a second; 2,147,483,647 tabs never end, and as many repetitions throw. The screen
 * stays the same, because past the bounds the built-in handlers only repeat work that changes nothing. The exceptions:
 * a cell gets at most MAX_CELL_MARKS combining characters, REP prints at most MAX_REPEATED code points, and of too many
 * links the oldest are forgotten. `ESC # 8` leaves the scrollback alone.
 */
export function guard(core: XtermInternals): void {
  const rows = () => core.rows;
  const cols = () => core.cols;
  for (const final of ['S', 'T', 'L', 'M']) clamp(core, { final }, rows);
  for (const final of ['I', 'Z']) clamp(core, { final }, cols);
  core._inputHandler._parser.registerCsiHandler({ final: 'b' }, (params) => {
    if (params.params[0]! > core.cols) params.params[0] = repetitions(core, params.params[0]!);
    return false;
  });
  core._inputHandler._parser.registerCsiHandler({ final: 'J' }, (params) => guardEraseAbove(core, params));
  core._inputHandler._parser.registerCsiHandler({ prefix: '?', final: 'J' }, (params) =>
    guardEraseAbove(core, params),
  );
  guardFilling(core);
  new LinkTable(core);
  boundCells(core);
}

function clamp(core: XtermInternals, id: FunctionId, limit: () => number): void {
  core._inputHandler._parser.registerCsiHandler(id, (params) => {
    if (params.params[0]! > limit()) params.params[0] = limit();
    return false;
  });
}

/**
 * Returns a count for REP that leaves the same screen. REP fills one row like another, so once the screen is full,
 * further whole rows are left out; they would only fill the scrollback, at 20 ms a sequence.
 */
function repetitions(core: XtermInternals, count: number): number {
  const width = (core._inputHandler._parser.precedingJoinState >> 1) & 3 || 1;
  const aRow = Math.max(1, Math.floor(core.cols / width));
  // Without wraparound, once the row is full, characters go to the last column and marks to the column before it.
  if (!core.coreService.decPrivateModes.wraparound) return Math.min(count, aRow + 3 * MAX_CELL_MARKS);
  const enough = aRow * (core.rows + 2);
  const exact = count <= enough + aRow ? count : enough + ((count - enough) % aRow);
  return Math.min(exact, Math.floor(MAX_REPEATED / repeatedLength(core, width)));
}

/** Returns the UTF-16 length of the text that REP would repeat. */
function repeatedLength(core: XtermInternals, width: number): number {
  const buffer = core.buffers.active;
  const line = buffer.lines.get(buffer.ybase + buffer.y);
  const col = buffer.x - width;
  const combined = line && (line._data[col * 3] ?? 0) & Content.combined ? line._combined[col] : undefined;
  return Math.max(1, combined?.length ?? 2);
}

/**
 * Keeps `CSI 1 J` from throwing, after which xterm would parse nothing more. With the cursor at the end of the last
 * row, xterm clears the wrap flag of the next row, which may not exist. So put a row there, past the end of the list.
 */
function guardEraseAbove(core: XtermInternals, params: RawParams): boolean {
  if (params.params[0] !== 1) return false;
  const { active } = core.buffers;
  if (active.lines.get(active.y + 1) === undefined) active.lines.set(active.y + 1, active.getBlankLine());
  return false;
}

/**
 * Keeps `ESC # 8` off the scrollback. In origin mode xterm begins at the top margin, yet fills as many rows as the
 * screen has. Past the list's end are the first rows of a full scrollback, or rows that rewrapping has moved and that
 * are still in use elsewhere.
 */
function guardFilling(core: XtermInternals): void {
  const { _inputHandler: input } = core;
  const fill = input.screenAlignmentPattern.bind(input);
  input.screenAlignmentPattern = () => {
    const { lines } = core.buffers.active;
    const { get } = lines;
    // A list without scrollback has only rows of the screen, which are filled from its bottom on to its top.
    if (lines.maxLength > core.rows) {
      lines.get = (index) => (index < lines.length ? get.call(lines, index) : undefined);
    }
    const isDone = fill();
    lines.get = get;
    return isDone;
  };
}
