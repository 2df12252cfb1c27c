import { BOX, idle, STOPPABLE, working } from '../screen-rule.js';
import { GEMINI_ASKS } from './gemini.js';
import type { KnownAgent } from './known-agent.js';

export const qwen: KnownAgent = {
  commands: ['qwen'],
  scripts: ['@qwen-code/qwen-code'],
  rules: [
    ...GEMINI_ASKS,
    working(8, '(*esc to cancel*)', STOPPABLE),
    idle(8, 'Type your message or @path/to/file', BOX),
    idle(6, /^[>!](?:\s|$)/, BOX),
  ],
};
