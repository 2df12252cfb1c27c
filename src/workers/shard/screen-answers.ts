import type { Capture, Snapshot } from '../../contract/terminal.js';
import type { Look } from './protocol.js';
import { encodeCursor } from './reader.js';
import type { Screen } from './screen/screen.js';
import type { ScreenView } from './screen-view.js';

/** The visible screen, for one that begins empty. */
export function snapshotOf(screen: Screen): Snapshot {
  return { snapshot: screen.serialize({ scrollback: false }), rows: screen.rows, cols: screen.cols };
}

/** The rows with their styles; a program that has ended has no cursor. */
export function captureOf(
  screen: Screen,
  { scrollback, exited }: { scrollback: boolean; exited: boolean },
): Capture {
  const rows = screen.styledRows({ scrollback });
  const { row, col } = screen.cursor();
  return {
    content: rows.join('\n'),
    line_count: rows.length,
    includes_scrollback: scrollback,
    cursor_position: exited ? null : [row, col],
  };
}

/** @param wroteAt - when the terminal last printed, on the clock of `performance.now` */
export function lookOf(view: ScreenView, wroteAt: number): Look {
  const { screen, position } = view;
  return {
    rows: screen.rowTexts(),
    shown: screen.shownText().text,
    cursorRow: screen.cursor().row,
    title: screen.title,
    cursor: encodeCursor(view.cursor),
    position,
    quietMs: Math.max(0, performance.now() - wroteAt),
    modes: { ...screen.modes, altScreen: screen.cursor().altScreen },
  };
}
