import {
  ASKS,
  atCursor,
  DIALOG,
  type ScreenRule,
  SPINS,
  STOPPABLE,
  waiting,
  working,
} from '../screen-rule.js';

/** Signs that mean the same for every agent; they come after an agent's own. */
export const ANY_AGENT_RULES: readonly ScreenRule[] = [
  atCursor('waiting', 2, /[([](?:y\/n|yes\/no)(?:\/[^)\]]{1,20})?[)\]]/i, 'it asks yes or no'),
  // npx asks so before it fetches an agent.
  atCursor('waiting', 1, /\? \(y\)$/, 'it asks yes or no'),
  waiting(3, 'press enter to continue', DIALOG),
  waiting(3, /enter to (?:select|confirm|submit).{0,60}esc to (?:cancel|exit)/i, DIALOG),
  waiting(14, /^[❯›●>] 1\. (?:Yes|Allow)\b/, ASKS),
  working(8, /\([^()]{0,80}\b(?:esc|ctrl[+ -]c) (?:again )?to (?:interrupt|cancel)\b/i, STOPPABLE),
  working(4, /^[\u2801-\u28ff]{1,2} \S/, SPINS),
];
