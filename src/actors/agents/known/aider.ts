import { atCursor, PROMPT, SPINS, working } from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';

export const aider: KnownAgent = {
  commands: ['aider'],
  scripts: ['aider', 'aider-chat'],
  rules: [
    atCursor('waiting', 1, /\(Y\)es\/\(N\)o|\[(?:Yes|No)\]:/, 'it asks yes or no'),
    working(2, /^(?:[░█]{2}|[=#]{2}) {1,12}\S/, SPINS),
    atCursor('idle', 1, /^(?:[a-z]{1,12} ?){0,2}>/, PROMPT),
  ],
};
