import { z } from 'zod';
import { AgentStatus } from './wait.js';

/** The coding agent in the foreground of a terminal and its status, as far as they can be detected. */
export const AgentState = z.object({
  agent: z.string().nullable().describe('Label of the coding agent that runs in the foreground'),
  agentStatus: AgentStatus.nullable().describe('null where there is no agent, or nothing tells'),
  agentStatusReason: z.string().nullable().describe('What told it, in words'),
});
export type AgentState = z.infer<typeof AgentState>;

/** State of a terminal without an agent in the foreground. */
export const NO_AGENT: AgentState = { agent: null, agentStatus: null, agentStatusReason: null };

/** A rule that decides the status of an agent by its screen. */
const AgentRule = z.object({
  source: z
    .enum(['settings', 'agent', 'any'])
    .describe('The setting `agents`, the built-in rules of this agent, or those for any agent'),
  status: AgentStatus,
  where: z
    .enum(['bottom', 'cursor', 'title'])
    .describe('The last rows that show something, the rows down to that of the cursor, or the title'),
  rows: z.int().describe('How many rows are looked at'),
  text: z.string().describe('What a row holds: text in which `*` is any text, or /a regular expression/'),
  reason: z.string(),
});

/** Answer of `GET /api/terminals/:id/agent/explain`. */
export const AgentExplanation = AgentState.extend({
  rule: AgentRule.nullable().describe('What decided; null where it was not a rule'),
  row: z.int().nullable().describe('Of the screen, from 0, where the rule holds; null for the title'),
  line: z.string().nullable().describe('What stands there'),
  title: z.string().nullable().describe('Of the terminal, as the agent has set it'),
  quietMs: z.int().nullable().describe('Milliseconds since the last output'),
  rules: z
    .array(AgentRule.extend({ holds: z.boolean() }))
    .describe('All rules for this agent in their order: the first that holds decides'),
});
export type AgentExplanation = z.infer<typeof AgentExplanation>;
