import { ASKS, BOX, idle, SPINS, STOPPABLE, waiting, working } from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';

export const cursor: KnownAgent = {
  commands: ['cursor-agent'],
  scripts: ['cursor-agent/versions'],
  rules: [
    waiting(16, /\(y\) \(enter\)|\((?:esc or [np])\)|\bKeep \(n\)/i, ASKS),
    waiting(16, /^(?:Run this command|Write to this file)\?/i, ASKS),
    waiting(16, /^Do you trust the (?:files|contents)\b/i, ASKS),
    working(8, 'ctrl+c to stop', STOPPABLE),
    working(12, /^[⬡⬢\u2801-\u28ff]{1,3}\s{1,2}\p{L}{1,30}ing\b/u, SPINS),
    idle(10, /^→(?:\s|$)/, BOX),
  ],
};
