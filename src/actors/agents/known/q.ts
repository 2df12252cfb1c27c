import { ASKS, atCursor, PROMPT, SPINS, working } from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';

/** kiro is the successor of q. */
export const ANSWERED_BY_LETTER = [
  // The question is two rows above the prompt until it is answered, and further up afterwards.
  atCursor('waiting', 3, '[y/n/t]:', ASKS),
  working(1, /^[\u2801-\u28ff] Thinking\.\.\./, SPINS),
];

export const q: KnownAgent = {
  commands: ['q', 'qchat'],
  scripts: [],
  rules: [...ANSWERED_BY_LETTER, atCursor('idle', 1, /^(?:\[[^\]]{1,60}\] ?)?!?>/, PROMPT)],
};
