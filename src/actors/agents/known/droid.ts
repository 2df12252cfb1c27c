import { ASKS, DIALOG, STOPPABLE, waiting, working } from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';

export const droid: KnownAgent = {
  commands: ['droid'],
  scripts: ['@factory/cli', 'droid'],
  rules: [
    waiting(16, /^> (?:Yes, allow|No, cancel)\b/i, ASKS),
    waiting(4, /enter (?:to )?select.{0,60}esc (?:to )?cancel/i, DIALOG),
    working(8, 'esc to stop', STOPPABLE),
  ],
};
