import { ASKS, BOX, DIALOG, idle, STOPPABLE, waiting, working } from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';

/** kilo is a fork of opencode. */
export const OPENCODE_RULES = [
  waiting(30, /△\s{1,2}(?:Permission required|Always allow)/, ASKS),
  waiting(6, /enter (?:confirm|submit|toggle).{0,60}esc dismiss/i, DIALOG),
  working(3, /\besc (?:again to )?interrupt\b/i, STOPPABLE),
  idle(6, 'ctrl+p commands', BOX),
  idle(16, 'Ask anything...', BOX),
];

export const opencode: KnownAgent = {
  commands: ['opencode', '.opencode'],
  scripts: ['opencode-ai'],
  rules: OPENCODE_RULES,
};
