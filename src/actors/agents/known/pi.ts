import { SPINS, working } from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';

export const pi: KnownAgent = {
  commands: [],
  scripts: ['@mariozechner/pi-coding-agent'],
  rules: [working(10, /^[\u2801-\u28ff] Working\.\.\./, SPINS)],
};
