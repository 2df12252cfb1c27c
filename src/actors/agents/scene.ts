import { MAX_AGENT_RULE_ROWS } from '../../contract/limits.js';
import type { ScreenStatus } from '../../workers/shard/screen-status.js';
import { type RuleText, ruleText } from './match.js';

/** The parts of a look that rules see. */
export type Shown = Pick<ScreenStatus, 'rows' | 'title' | 'cursorRow'>;

/** The parts of a look that say something about an agent. */
export interface Sight extends Shown, Pick<ScreenStatus, 'quietMs'> {
  /** Whether the agent has printed anything since it was started: until then, the screen shows what came before it. */
  hasPrinted: boolean;
  /** Returns whether its terminal is known to hand out input line by line, although the agent reads single keys once it runs. */
  takesLines: () => boolean;
}

/** One row of a screen. */
interface SceneRow {
  /** Row on the screen, from 0 at the top; -1 for the title. */
  row: number;
  /** Text of the row without blanks at its ends. */
  line: string;
  /** Text without its frame, and also joined to the row before if the terminal may have wrapped a line there. */
  texts: readonly RuleText[];
}

/** A screen as rules see it, with rows from the last one up. */
export interface Scene {
  title: SceneRow;
  /** The last rows that show something. */
  bottom: readonly SceneRow[];
  /** The row of the cursor and those above it. */
  cursor: readonly SceneRow[];
}

/** Number of rows that a rule for the cursor may look at. */
export const MAX_CURSOR_ROWS = 4;

/** Characters that frames draw at the left and the right of a row, and blanks. */
const FRAME = /[\s│┃║▌▐╎┆┊╽╿]/;

/** Prepares a look for rules. `columns` is the width of the terminal. */
export function sceneOf({ rows, title, cursorRow }: Shown, columns: number): Scene {
  const at = (row: number): SceneRow => {
    const shown = rows[row] ?? '';
    const before = rows[row - 1] ?? '';
    const texts = [ruleText(unframed(shown))];
    if (before.length >= columns) texts.push(ruleText(unframed(before + shown)));
    return { row, line: shown.trim(), texts };
  };
  const bottom: SceneRow[] = [];
  for (let row = rows.length - 1; row >= 0 && bottom.length < MAX_AGENT_RULE_ROWS; row--) {
    if (rows[row]?.trim()) bottom.push(at(row));
  }
  const cursor: SceneRow[] = [];
  for (let row = cursorRow; row >= 0 && cursor.length < MAX_CURSOR_ROWS; row--) cursor.push(at(row));
  return { title: { row: -1, line: title.trim(), texts: [ruleText(title.trim())] }, bottom, cursor };
}

/**
 * Cuts the frame and blanks off both ends, character by character: a regular expression would scan each run of blanks
 * many times.
 */
export function unframed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && FRAME.test(text.charAt(from))) from++;
  while (to > from && FRAME.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}
