import type { KnownAgent } from './known-agent.js';
import { OPENCODE_RULES } from './opencode.js';

export const kilo: KnownAgent = {
  commands: ['kilo', 'kilocode'],
  scripts: ['@kilocode/cli'],
  rules: OPENCODE_RULES,
};
