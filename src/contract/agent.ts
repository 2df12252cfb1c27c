import { z } from 'zod';
import { AgentStatus } from './wait.js';

/** The coding agent in the foreground of a terminal and its status, as far as they can be detected. */
export const AgentState = z.object({
  agent: z.string().nullable().describe('Label of the coding agent that runs in the foreground'),
  agentStatus: AgentStatus.nullable().describe(
    'null if there is no agent, or its status is unknown, as before its first output',
  ),
  agentStatusReason: z.string().nullable().describe('Why the agent has this status, in words'),
});
export type AgentState = z.infer<typeof AgentState>;

/** State of an agent as events report it; `agentSince` is in epoch milliseconds, and null if it is not known. */
export type AgentChange = AgentState & { agentSince?: number | null };

/** State of a terminal without an agent in the foreground. */
export const NO_AGENT: AgentState = { agent: null, agentStatus: null, agentStatusReason: null };

/** A rule that decides the status of an agent by its screen. */
const AgentRule = z.object({
  source: z
    .enum(['settings', 'agent', 'any'])
    .describe(
      'Where the rule comes from: the setting `agents`, the built-in rules for this agent, or the built-in rules for any agent',
    ),
  status: AgentStatus,
  where: z
    .enum(['bottom', 'cursor', 'title'])
    .describe(
      'Where the rule looks: at the last rows that are not blank, at the rows down to the cursor, or at the title',
    ),
  rows: z.int().describe('How many rows the rule looks at'),
  text: z
    .string()
    .describe('What a row must contain: text in which `*` matches any text, or /a regular expression/'),
  reason: z.string(),
});

/** Answer of `GET /api/terminals/:id/agent/explain`. */
export const AgentExplanation = AgentState.extend({
  rule: AgentRule.nullable().describe('The rule that decided; null if none did'),
  row: z
    .int()
    .nullable()
    .describe('Row of the screen that matched, counted from 0; null if the title matched'),
  line: z.string().nullable().describe('Text of the row or title that matched'),
  title: z.string().nullable().describe('Title of the terminal, as the agent set it'),
  quietMs: z.int().nullable().describe('Milliseconds since the last output'),
  rules: z
    .array(AgentRule.extend({ holds: z.boolean() }))
    .describe('All rules for this agent, in order; the first that holds decides'),
});
export type AgentExplanation = z.infer<typeof AgentExplanation>;
