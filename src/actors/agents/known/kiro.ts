import { ASKS, atCursor, BOX, DIALOG, idle, PROMPT, waiting, working } from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';
import { ANSWERED_BY_LETTER } from './q.js';

export const kiro: KnownAgent = {
  commands: ['kiro-cli', 'kiro-cli-chat'],
  scripts: [],
  rules: [
    waiting(12, /\b(?:Yes, single permission|Trust, always allow|Approve all pending)\b/i, ASKS),
    waiting(1, /\besc to cancel\b.{0,60}↵ to select/i, DIALOG),
    ...ANSWERED_BY_LETTER,
    working(4, 'Kiro is working', 'it says so'),
    idle(4, /ask a question,? or describe a task/i, BOX),
    atCursor('idle', 1, /^\[[^\]]{1,60}\] ?(?:\d{1,3}% ?)?(?:λ ?)?>/, PROMPT),
  ],
};
