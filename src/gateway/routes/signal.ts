import { SignalBody, SignalSent } from '../../contract/signal.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

/** The signals port of the gateway. */
export interface SignalsPort {
  /**
   * Signals the job in the foreground of a terminal, and resolves with the full name of the signal. Throws
   * unknown-signal, terminal-not-found, no-foreground-job, forbidden, unavailable, outcome-unknown.
   */
  signal(id: string, name: string): Promise<string>;
}

/** `POST /api/terminals/:id/signal`: signals the job in the foreground of a terminal. */
export function registerSignal(app: App, signals: SignalsPort): void {
  app.post(
    '/api/terminals/:id/signal',
    {
      config: needs('control', 'terminal'),
      schema: {
        summary: 'Send a signal to the job in the foreground',
        description:
          'Every process of the foreground process group gets the signal, whether or not the terminal turns ' +
          'keys such as Ctrl+C into signals. The program that the terminal was created with is that job, too, ' +
          'unless it is a shell that reads commands: then 409 `no-foreground-job`, so that a signal to a ' +
          'command that has just ended never ends the shell. SIGINT does reach a shell that works on a command ' +
          'itself, such as a loop.',
        tags: ['Input and output'],
        params: IdParams,
        body: SignalBody,
        response: {
          200: SignalSent,
          ...failures('unknown-signal', 'terminal-not-found', 'no-foreground-job', 'forbidden'),
          ...failures('outcome-unknown'),
        },
      },
    },
    async ({ params, body }) => ({
      status: 'ok' as const,
      signal: await signals.signal(params.id, body.signal),
    }),
  );
}
