import type { AgentStatus } from '../../contract/wait.js';

/** The part of a terminal that a rule looks at. */
type Region = 'bottom' | 'cursor' | 'title';

/** A sign on the screen of an agent, and its meaning. Plain data. */
export interface ScreenRule {
  status: AgentStatus;
  where: Region;
  /**
   * For `bottom`, the number of last rows that show something; for `cursor`, the number of rows down to that of the
   * cursor. Ignored for `title`.
   */
  rows: number;
  /**
   * Text in a row, without the frame around it. In a string, `*` is any text and case does not matter. Regular
   * expressions are for built-in rules only, with bounded repetitions, so that they take time in proportion to the row.
   */
  text: string | RegExp;
  /** Meaning of the sign, in words. */
  reason: string;
}

/** Reasons of several rules. */
export const ASKS = 'it asks for permission';
export const MENU = 'a menu is open';
export const DIALOG = 'a dialog is open';
export const STOPPABLE = 'it shows how to interrupt it';
export const SPINS = 'its spinner is visible';
export const TITLE = 'its title says so';
export const BOX = 'its input box is visible';
export const PROMPT = 'its prompt is visible';

type Text = ScreenRule['text'];

/** Returns a function that makes rules for the last `rows` rows that show something. */
function bottom(status: AgentStatus) {
  return (rows: number, text: Text, reason: string): ScreenRule => ({
    status,
    where: 'bottom',
    rows,
    text,
    reason,
  });
}

export const waiting = bottom('waiting');
export const working = bottom('working');
export const idle = bottom('idle');

/**
 * Returns a rule for the row of the cursor and those right above it, `rows` in all, for programs that ask line by line.
 */
export function atCursor(status: AgentStatus, rows: number, text: Text, reason: string): ScreenRule {
  return { status, where: 'cursor', rows, text, reason };
}

/** Returns a rule for the title of the terminal. */
export function inTitle(status: AgentStatus, text: Text, reason: string): ScreenRule {
  return { status, where: 'title', rows: 1, text, reason };
}
