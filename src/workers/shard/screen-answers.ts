import type { Capture, Snapshot } from '../../contract/terminal.js';
import type { Screen } from './screen/screen.js';

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
