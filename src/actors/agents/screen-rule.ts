import type { AgentStatus } from '../../contract/wait.js';

/** The part of a terminal that a rule looks at. */
type Region = 'bottom' | 'cursor' | 'title';

/** A sign on the screen of an agent, and what it says of it. Plain data. */
export interface ScreenRule {
  status: AgentStatus;
  where: Region;
  /**
   * Of `bottom`, so many of the last rows that show something; of `cursor`, so many rows, that of the cursor being
   * the last one. Of no meaning for `title`.
   */
  rows: number;
  /**
   * What a row holds, without the frame around it. In a string `*` is any text, and capitals do not matter. A regular
   * expression is for built-in rules only and takes time in proportion to the row: its repetitions are bounded.
   */
  text: string | RegExp;
  /** What the sign means, in words. */
  reason: string;
}

type Text = ScreenRule['text'];

/** A rule for the last `rows` rows that show something. */
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

/** A rule for the row of the cursor and those right above it, `rows` in all: where programs ask line by line. */
export function atCursor(status: AgentStatus, rows: number, text: Text, reason: string): ScreenRule {
  return { status, where: 'cursor', rows, text, reason };
}

/** A rule for the title of the terminal. */
export function inTitle(status: AgentStatus, text: Text, reason: string): ScreenRule {
  return { status, where: 'title', rows: 1, text, reason };
}
