import { ASKS, BOX, idle, inTitle, SPINS, STOPPABLE, TITLE, waiting, working } from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';

export const amp: KnownAgent = {
  commands: ['amp'],
  scripts: ['@ampcode/cli', '@sourcegraph/amp'],
  rules: [
    inTitle('waiting', 'confirmation needed', TITLE),
    waiting(30, /^(?:Waiting for approval|Run this command\?|Invoke tool\b|Confirm tool call\b)/i, ASKS),
    waiting(30, /^Allow (?:editing|creating) file:/i, ASKS),
    waiting(16, /\b(?:Allow All for (?:This|Every) Session|Deny with feedback)\b/i, ASKS),
    inTitle('working', /^[\u2801-\u28ff] /, TITLE),
    working(6, /^╰ \S{0,3} ?(?:Thinking|Streaming|Running tools|Waiting)\b/i, SPINS),
    working(8, 'esc to cancel', STOPPABLE),
    inTitle('idle', ' - amp', TITLE),
    idle(8, /^╭─/, BOX),
  ],
};
