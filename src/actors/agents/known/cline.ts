import { ASKS, idle, PROMPT, waiting } from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';

export const cline: KnownAgent = {
  commands: ['cline'],
  scripts: ['cline'],
  rules: [
    waiting(12, 'Let Cline use this tool', ASKS),
    waiting(8, /^(?:Execute command|Use this tool)\?/i, ASKS),
    idle(8, 'Cline is ready for your message', PROMPT),
  ],
};
