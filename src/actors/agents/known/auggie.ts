import { BOX, idle, STOPPABLE, working } from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';

export const auggie: KnownAgent = {
  commands: ['auggie'],
  scripts: ['@augmentcode/auggie'],
  rules: [working(8, '(*esc to interrupt)', STOPPABLE), idle(6, /^›(?:\s|$)/, BOX)],
};
