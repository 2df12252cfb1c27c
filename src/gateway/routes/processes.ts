import { ProcessList, ProcessMetrics } from '../../contract/system.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

/** The processes in the terminals, as the gateway reads them. */
export interface ProcessesPort {
  list(): Promise<ProcessList>;
  /** Throws process-not-found. */
  metrics(id: string): Promise<ProcessMetrics>;
}

/** `/api/processes`: the programs that run in the terminals, and the CPU and memory that they use. */
export function registerProcesses(app: App, processes: ProcessesPort): void {
  app.get(
    '/api/processes',
    {
      config: needs('read', 'filtered'),
      schema: {
        summary: 'List what runs in each terminal',
        description:
          'One entry for each running terminal: its shell, its foreground program and, if that program is ' +
          'a coding agent, the agent. An agent is recognized by the name of its executable or, under an ' +
          'interpreter such as Node or Python, by the script that runs; the setting `agents` adds agents. ' +
          'The status of an agent is read from its screen at this moment; see `GET ' +
          '/api/terminals/{id}/agent/explain`.',
        tags: ['Processes'],
        response: { 200: ProcessList },
      },
    },
    async ({ rights }) => {
      const { processes: listed, ...rest } = await processes.list();
      const seen = listed.filter(({ id }) => rights.sees(id));
      return { ...rest, processes: seen, count: seen.length };
    },
  );

  app.get(
    '/api/processes/:id/metrics',
    {
      config: needs('read', 'terminal'),
      schema: {
        summary: 'Get the CPU and memory use of a terminal',
        description:
          'The sum over all processes of the terminal. CPU use is measured since the last call for this ' +
          'terminal if that was 200 ms to 60 s ago; otherwise over 250 ms, for which the answer waits.',
        tags: ['Processes'],
        params: IdParams,
        response: { 200: ProcessMetrics, ...failures('process-not-found') },
      },
    },
    (request) => processes.metrics(request.params.id),
  );
}
