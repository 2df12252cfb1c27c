import { ASKS, BOX, idle, STOPPABLE, waiting, working } from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';

export const crush: KnownAgent = {
  commands: ['crush'],
  scripts: ['@charmland/crush'],
  rules: [
    waiting(30, 'Allow for Session', ASKS),
    working(2, /^esc (?:cancel|press again to cancel|clear queue)\b/, STOPPABLE),
    idle(2, 'ctrl+p commands', BOX),
  ],
};
