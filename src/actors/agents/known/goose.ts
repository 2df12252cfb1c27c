import { atCursor, MENU, PROMPT, SPINS, STOPPABLE, waiting, working } from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';

export const goose: KnownAgent = {
  commands: ['goose'],
  scripts: [],
  rules: [
    waiting(14, /^◆ /, MENU),
    working(2, /^[◒◐◓◑] /, SPINS),
    working(2, '(ctrl+c to interrupt)', STOPPABLE),
    atCursor('idle', 1, /^\( ?O\)>/, PROMPT),
  ],
};
