import { aider } from './aider.js';
import { amp } from './amp.js';
import { auggie } from './auggie.js';
import { claude } from './claude.js';
import { cline } from './cline.js';
import { codex } from './codex.js';
import { copilot } from './copilot.js';
import { crush } from './crush.js';
import { cursor } from './cursor.js';
import { droid } from './droid.js';
import { gemini } from './gemini.js';
import { goose } from './goose.js';
import { kilo } from './kilo.js';
import { kimi } from './kimi.js';
import { kiro } from './kiro.js';
import type { KnownAgent } from './known-agent.js';
import { opencode } from './opencode.js';
import { pi } from './pi.js';
import { q } from './q.js';
import { qwen } from './qwen.js';
import { vibe } from './vibe.js';

/** The built-in agents by label. */
export const KNOWN_AGENTS: Readonly<Record<string, KnownAgent>> = {
  claude,
  codex,
  gemini,
  copilot,
  aider,
  opencode,
  goose,
  amp,
  qwen,
  cursor,
  crush,
  droid,
  kiro,
  q,
  auggie,
  cline,
  kilo,
  pi,
  kimi,
  vibe,
  // Agents without rules of their own.
  continue: { commands: ['cn'], scripts: ['@continuedev/cli'] },
  plandex: { commands: ['plandex', 'pdx'], scripts: [] },
  codebuff: { commands: ['codebuff'], scripts: ['codebuff'] },
  jules: { commands: ['jules'], scripts: ['@google/jules'] },
  openhands: { commands: ['openhands'], scripts: ['openhands', 'openhands-ai'] },
  gptme: { commands: ['gptme'], scripts: ['gptme'] },
  interpreter: { commands: ['interpreter'], scripts: ['open-interpreter'] },
};

/** Returns whether this table has an agent with this label; the settings may add others. */
export function isKnownAgent(label: string): boolean {
  return Object.hasOwn(KNOWN_AGENTS, label);
}
