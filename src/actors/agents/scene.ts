import { MAX_AGENT_RULE_ROWS } from '../../contract/limits.js';
import type { Look } from '../../workers/shard/protocol.js';
import { type RuleText, ruleText } from './match.js';

/** What of a look tells something of an agent. */
export type Sight = Pick<Look, 'rows' | 'title' | 'cursorRow' | 'position' | 'quietMs'>;

/** One row of a screen. */
interface SceneRow {
  /** The topmost of the screen is 0. */
  row: number;
  /** Blanks around it cut. */
  line: string;
  /** Without its frame; a second time with the row before it, where the terminal may have wrapped a line there. */
  texts: readonly RuleText[];
}

/** A screen as rules look at it; rows from the last one up. */
export interface Scene {
  title: SceneRow;
  /** Rows that show something. */
  bottom: readonly SceneRow[];
  /** From that of the cursor on. */
  cursor: readonly SceneRow[];
}

/** Rows that a rule for the cursor may look at. */
export const MAX_CURSOR_ROWS = 4;

/** What frames draw at the left and the right of a row, and blanks. */
const FRAME = /[\s│┃║▌▐╎┆┊╽╿]/;

/** Prepares a look for rules. `columns` is the width of the terminal. */
export function sceneOf({ rows, title, cursorRow }: Sight, columns: number): Scene {
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

/** Character by character: a regular expression would go through each run of blanks many times. */
function unframed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && FRAME.test(text.charAt(from))) from++;
  while (to > from && FRAME.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}
