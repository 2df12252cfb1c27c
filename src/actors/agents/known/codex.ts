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

export const codex: KnownAgent = {
  commands: ['codex'],
  scripts: ['@openai/codex'],
  rules: [
    inTitle('waiting', 'Action Required', TITLE),
    // Its releases word the last row of a menu differently.
    waiting(3, /^[^›]{0,60}\benter (?:to )?(?:confirm|select)\b/i, DIALOG),
    waiting(3, /^Use ↑\/↓ to move\b/, MENU),
    waiting(3, /enter to submit (?:answer|all)\b/i, 'it asks a question'),
    waiting(3, /^[^›]{0,60}\bpress enter to continue\b/i, DIALOG),
    waiting(30, /^Would you like to (?:run the following|make the following|grant these)\b/i, ASKS),
    waiting(16, 'Do you want to approve', ASKS),
    waiting(12, 'Allow command?', ASKS),
    inTitle('working', /(?:^| )[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏](?: |$)/, TITLE),
    working(16, '(*to interrupt)', STOPPABLE),
    idle(6, /^›(?:\s|$)/, BOX),
    idle(3, /\d{1,3}% (?:context )?left/i, BOX),
  ],
};
