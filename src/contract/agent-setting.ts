import { z } from 'zod';
import {
  DEFAULT_AGENT_RULE_ROWS,
  MAX_AGENT_RULE_CHARS,
  MAX_AGENT_RULE_ROWS,
  MAX_AGENT_RULES,
  MAX_LABEL_CHARS,
  MAX_TABLE_ENTRIES,
} from './limits.js';
import { AgentStatus } from './wait.js';

const name = z.string().min(1).max(MAX_LABEL_CHARS);

const agentRule = {
  status: AgentStatus,
  text: z
    .string()
    .min(1)
    .max(MAX_AGENT_RULE_CHARS)
    .refine((text) => /[^*]/.test(text), 'must contain more than wildcards')
    .describe('What a row of the screen must contain; `*` matches any text, and case is ignored'),
  rows: z
    .int()
    .min(1)
    .max(MAX_AGENT_RULE_ROWS)
    .default(DEFAULT_AGENT_RULE_ROWS)
    .describe('How many of the last rows that are not blank the rule looks at'),
  where: z
    .enum(['bottom', 'title'])
    .default('bottom')
    .describe('`title`: the rule looks at the title of the terminal instead'),
};

/** An entry of `agents`: how a coding agent is recognised among processes, and its status by its screen. */
export const AgentSetting = z.object({
  /** Names of native programs that are this agent. */
  commands: z.array(name).max(MAX_TABLE_ENTRIES).optional(),
  /** Names of scripts or packages, run by an interpreter, that are this agent. */
  scripts: z.array(name).max(MAX_TABLE_ENTRIES).optional(),
  /** Rules for the agent's status. The first rule that holds decides; built-in rules come after these. */
  rules: z.array(z.object(agentRule)).max(MAX_AGENT_RULES).optional(),
});

/** An entry of `agents` in a PATCH, where unknown keys are refused within rules, too. */
export const AgentPatch = AgentSetting.extend({
  rules: z.array(z.strictObject(agentRule)).max(MAX_AGENT_RULES),
});
