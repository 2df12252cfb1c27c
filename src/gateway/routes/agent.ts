import { AgentExplanation } from '../../contract/agent.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

/** The agents port of the gateway: the coding agents in the terminals. */
export interface AgentsPort {
  /** Explains an agent's status. Throws terminal-not-found; `unavailable` if the screen cannot be read in time. */
  explain(id: string): Promise<AgentExplanation>;
}

/** `/api/terminals/:id/agent`: how the service knows what an agent does. */
export function registerAgent(app: App, agents: AgentsPort): void {
  app.get(
    '/api/terminals/:id/agent/explain',
    {
      config: needs('read', 'terminal'),
      schema: {
        summary: 'Explain why an agent counts as idle, working or waiting',
        description:
          'Looks at the screen now, and names the rule that decided and the row that matched. Lists all ' +
          'rules for the agent in order, those of the setting `agents` first. If no rule matches, an ' +
          'agent that has printed within the last 1.5 s counts as working, any other as idle. If no agent ' +
          'runs, every field is null or empty.',
        tags: ['Processes'],
        params: IdParams,
        response: { 200: AgentExplanation, ...failures('terminal-not-found') },
      },
    },
    (request) => agents.explain(request.params.id),
  );
}
