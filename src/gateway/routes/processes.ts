import { ProcessList, ProcessMetrics } from '../../contract/system.js';
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
      schema: {
        summary: 'What runs in each terminal',
        description:
          'One entry for each running terminal: its shell, the program in the foreground, and the coding agent ' +
          'that this is, if it is one. An agent is known by the name of its executable or, under an interpreter ' +
          'such as Node or Python, by the script that runs; the setting `agents` adds more. What it does is told by ' +
          'its screen, looked at now; see `GET /api/terminals/{id}/agent/explain`.',
        tags: ['Processes'],
        response: { 200: ProcessList },
      },
    },
    () => processes.list(),
  );

  app.get(
    '/api/processes/:id/metrics',
    {
      schema: {
        summary: 'CPU and memory of one terminal',
        description:
          'Of all processes of the terminal together. CPU use is measured since the last call for this terminal, ' +
          'if that was 200 ms to 60 s ago; otherwise over 250 ms, for which the answer waits.',
        tags: ['Processes'],
        params: IdParams,
        response: { 200: ProcessMetrics, ...failures('process-not-found') },
      },
    },
    (request) => processes.metrics(request.params.id),
  );
}
