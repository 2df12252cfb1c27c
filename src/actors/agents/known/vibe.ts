import { ASKS, MENU, STOPPABLE, waiting, working } from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';

export const vibe: KnownAgent = {
  commands: ['vibe'],
  scripts: ['mistral-vibe'],
  rules: [
    waiting(4, /navigate\s{1,3}enter (?:select|toggle)/i, MENU),
    waiting(12, /^› \d\. (?:Allow|Always allow|Deny)\b/, ASKS),
    working(12, /\besc(?:\/ctrl\+c)? to interrupt\b/i, STOPPABLE),
  ],
};
