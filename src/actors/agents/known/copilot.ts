import { ASKS, BOX, DIALOG, idle, STOPPABLE, waiting, working } from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';

export const copilot: KnownAgent = {
  commands: ['copilot'],
  scripts: ['@github/copilot'],
  rules: [
    waiting(4, 'Confirm with number keys', DIALOG),
    waiting(4, /enter (?:to )?(?:select|confirm|submit|accept).{0,60}esc\b/i, DIALOG),
    waiting(20, /^❯ \d{1,2}\. (?:Yes|No)\b/, ASKS),
    waiting(16, /^Do you (?:want to|trust) /, ASKS),
    working(12, '(esc to cancel', STOPPABLE),
    working(5, /\besc (?:again )?(?:to )?(?:cancel|interrupt)\b/i, STOPPABLE),
    idle(8, '@ to mention files', BOX),
    idle(6, /^[❯>](?:\s|$)/, BOX),
  ],
};
