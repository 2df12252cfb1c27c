import { AGENT_QUIET_MS } from '../../contract/limits.js';
import type { AgentStatus } from '../../contract/wait.js';
import type { BookRule } from './rule-book.js';
import { type Scene, type Sight, sceneOf } from './scene.js';

/** What a look says of an agent, and by what. */
export interface Verdict {
  status: AgentStatus;
  /** In words. */
  reason: string;
  /** Undefined where output activity decided. */
  rule?: BookRule;
  /** Where the rule holds, from 0; null for the title. */
  row: number | null;
  /** What stands there. */
  line: string | null;
}

const seconds = AGENT_QUIET_MS / 1_000;
const PRINTING = `it has printed within the last ${seconds} s`;
const QUIET = `it has printed nothing for ${seconds} s`;
const SILENT = 'it has printed nothing yet';

/**
 * What an agent does, by its screen: the first rule that holds says so. Where none does, an agent that prints is at
 * work, and one that is quiet is idle.
 *
 * @param columns - width of the terminal
 */
export function decide(sight: Sight, rules: readonly BookRule[], columns: number): Verdict {
  const scene = sceneOf(sight, columns);
  for (const rule of rules) {
    const found = find(rule, scene);
    if (!found) continue;
    const row = rule.where === 'title' ? null : found.row;
    return { status: rule.status, reason: rule.reason, rule, row, line: found.line };
  }
  return { ...byOutput(sight), row: null, line: null };
}

/** Before its first output a terminal has been quiet since its start. */
function byOutput({ position, quietMs }: Sight): Pick<Verdict, 'status' | 'reason'> {
  if (position === 0) return { status: 'idle', reason: SILENT };
  return quietMs < AGENT_QUIET_MS
    ? { status: 'working', reason: PRINTING }
    : { status: 'idle', reason: QUIET };
}

/** Whether each of the rules holds. */
export function holding(sight: Sight, rules: readonly BookRule[], columns: number): boolean[] {
  const scene = sceneOf(sight, columns);
  return rules.map((rule) => find(rule, scene) !== undefined);
}

/** The lowest row that a rule finds what it looks for in. */
function find(rule: BookRule, scene: Scene) {
  const rows = rule.where === 'title' ? [scene.title] : scene[rule.where].slice(0, rule.rows);
  return rows.find(({ texts }) => texts.some(rule.matches));
}
