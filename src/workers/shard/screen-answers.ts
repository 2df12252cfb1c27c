import type { Capture, Snapshot } from '../../contract/terminal.js';
import { hrMs } from '../clock.js';
import { encodeCursor } from './reader.js';
import type { Screen } from './screen/screen.js';
import type { PlaceStatus, ScreenStatus } from './screen-status.js';
import type { ScreenPlace, ScreenView } from './screen-view.js';
import { SecretCover } from './secret-cover.js';
import type { Steps } from './steps.js';
import { unfinishedCharacter } from './unfinished-character.js';

/**
 * Returns the visible screen as escape sequences for an empty screen, and the bytes of an unfinished sequence that come
 * after it, without an unfinished character.
 */
export function* snapshotSteps({ screen, position }: ScreenView, secret: string): Steps<Required<Snapshot>> {
  const pending = new SecretCover(secret).cover(screen.pending());
  const end = pending.length - unfinishedCharacter(pending);
  const serialized = yield* screen.serializeSteps({ scrollback: false });
  return {
    snapshot: serialized?.parts.join('') ?? '',
    rows: screen.rows,
    cols: screen.cols,
    seq: position - (pending.length - end),
    pending: Buffer.from(pending.subarray(0, end)).toString('utf8'),
  };
}

/** Returns the rows with their styles; the cursor is null once the program has ended. */
export function* captureSteps(
  screen: Screen,
  { scrollback, exited }: { scrollback: boolean; exited: boolean },
): Steps<Capture> {
  const rows = yield* screen.styledRowSteps({ scrollback });
  const { row, col } = screen.cursor();
  return {
    content: rows.join('\n'),
    line_count: rows.length,
    includes_scrollback: scrollback,
    cursor_position: exited ? null : [row, col],
  };
}

/** @param printedAt - time of the last output, as {@link hrMs} tells it */
export function screenStatusOf(view: ScreenView, printedAt: number): ScreenStatus {
  const { screen } = view;
  return {
    rows: screen.rowTexts(),
    shown: screen.shownText().text,
    cursorRow: screen.cursor().row,
    title: screen.title,
    ...placeStatusOf(view, printedAt),
  };
}

/** @param printedAt - time of the last output, as {@link hrMs} tells it */
export function placeStatusOf({ cursor, modes, position }: ScreenPlace, printedAt: number): PlaceStatus {
  return {
    cursor: encodeCursor(cursor),
    position,
    printedAt,
    quietMs: hrMs() - printedAt,
    modes: { altScreen: cursor.altScreen, ...modes },
  };
}
