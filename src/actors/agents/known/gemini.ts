import {
  ASKS,
  BOX,
  DIALOG,
  idle,
  inTitle,
  MENU,
  STOPPABLE,
  TITLE,
  waiting,
  working,
} from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';

/** Rules for the prompts that gemini and its forks share. */
export const GEMINI_ASKS = [
  waiting(16, 'Waiting for user confirmation', ASKS),
  waiting(16, 'Apply this change?', ASKS),
  waiting(16, /^Allow execution of\b/i, ASKS),
  waiting(16, /^[●›❯] \d{1,2}\. (?:Yes|No|Allow|Trust|Don't trust|Modify)\b/, ASKS),
  // The menus that it opens by itself, as at a usage limit, have no footer.
  waiting(16, /^[●›❯] {1,2}\d{1,2}\. /, MENU),
  waiting(4, /^Press R to restart\b/, DIALOG),
  waiting(3, /enter to (?:select|submit|confirm).{0,60}esc to cancel/i, DIALOG),
];

export const gemini: KnownAgent = {
  commands: ['gemini'],
  scripts: ['@google/gemini-cli'],
  rules: [
    inTitle('waiting', 'Action Required', TITLE),
    ...GEMINI_ASKS,
    inTitle('working', /^[✦⏲]/u, TITLE),
    working(8, '(*esc to cancel*)', STOPPABLE),
    inTitle('idle', /^◇/, TITLE),
    idle(8, 'Type your message or @path/to/file', BOX),
    idle(6, /^[>!](?:\s|$)/, BOX),
  ],
};
