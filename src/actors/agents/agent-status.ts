import { AGENT_QUIET_MS, AGENT_START_MS } from '../../contract/limits.js';
import type { AgentStatus } from '../../contract/wait.js';
import type { BookRule } from './rule-book.js';
import { type Scene, type Shown, type Sight, sceneOf } from './scene.js';

/** Status of an agent according to a look, and the reason for it. */
export interface Verdict {
  /** null if the look does not show it. */
  status: AgentStatus | null;
  /** The reason in words. */
  reason: string;
  /** The rule that decided; undefined where output activity did. */
  rule?: BookRule;
  /** Row in which the rule holds, from 0; null for the title, and where no rule decided. */
  row: number | null;
  /** Text of that row or title; null where no rule decided. */
  line: string | null;
}

const seconds = AGENT_QUIET_MS / 1_000;
const PRINTING = `it has printed within the last ${seconds} s`;
const QUIET = `it has printed nothing for ${seconds} s`;
const SILENT = 'it has printed nothing yet';
const TAKES_LINES = 'it seems to start: its terminal hands out input line by line';

/**
 * Determines the status of an agent from its screen: the first rule that holds decides. If none holds, an agent that
 * prints is working, and a quiet agent is idle. The status of an agent that may still be starting is unknown: it would
 * lose the Enter of a prompt that comes before it reads keys.
 *
 * @param columns - width of the terminal
 */
export function decide(sight: Sight, rules: readonly BookRule[], columns: number): Verdict {
  const scene = sceneOf(sight, columns);
  for (const rule of sight.hasPrinted ? rules : []) {
    const found = find(rule, scene);
    if (!found) continue;
    // The row may be the prompt of the shell, above an agent that has not drawn its screen.
    if (rule.status === 'idle' && mayBeStarting(sight)) break;
    const row = rule.where === 'title' ? null : found.row;
    return { status: rule.status, reason: rule.reason, rule, row, line: found.line };
  }
  return { ...byOutput(sight), row: null, line: null };
}

function byOutput(sight: Sight): Pick<Verdict, 'status' | 'reason'> {
  const { hasPrinted, quietMs } = sight;
  if (hasPrinted && quietMs < AGENT_QUIET_MS) return { status: 'working', reason: PRINTING };
  if (mayBeStarting(sight)) return { status: null, reason: hasPrinted ? TAKES_LINES : SILENT };
  return { status: 'idle', reason: hasPrinted ? QUIET : SILENT };
}

function mayBeStarting({ hasPrinted, takesLines, quietMs }: Sight): boolean {
  return quietMs < AGENT_START_MS && (!hasPrinted || takesLines());
}

/** Returns for each rule whether it holds. */
export function holding(shown: Shown, rules: readonly BookRule[], columns: number): boolean[] {
  const scene = sceneOf(shown, columns);
  return rules.map((rule) => find(rule, scene) !== undefined);
}

/** Returns the lowest row in which the rule finds its text. */
function find(rule: BookRule, scene: Scene) {
  const rows = rule.where === 'title' ? [scene.title] : scene[rule.where].slice(0, rule.rows);
  return rows.find(({ texts }) => texts.some(rule.matches));
}
