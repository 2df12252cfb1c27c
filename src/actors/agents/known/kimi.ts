import { ASKS, atCursor, MENU, PROMPT, SPINS, waiting, working } from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';

export const kimi: KnownAgent = {
  commands: ['kimi'],
  scripts: ['kimi-cli', 'kimi_cli'],
  rules: [
    waiting(30, 'is requesting approval to', ASKS),
    waiting(4, /select .{0,40}↵ (?:confirm|submit|choose|toggle)/, MENU),
    working(10, /^[\u2801-\u28ff]{1,2} ?(?:Thinking|Working|Using|Composing)\b/i, SPINS),
    working(10, /^[🌑🌒🌓🌔🌕🌖🌗🌘](?:\s|$)/u, SPINS),
    atCursor('idle', 1, /[✨💫](?:\s|$)/u, PROMPT),
  ],
};
