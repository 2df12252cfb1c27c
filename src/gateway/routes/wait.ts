import { WaitAnswer, WaitBody } from '../../contract/wait.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { LongPolls } from '../long-polls.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

/** The waits, as the gateway starts them. */
export interface WaitsPort {
  /**
   * Resolves once the condition holds, the time is over or the program has exited. Rejects with the signal's reason, or
   * with terminal-not-found, invalid-cursor, invalid-request, unavailable.
   */
  wait(id: string, body: WaitBody, signal: AbortSignal): Promise<WaitAnswer>;
}

const DESCRIPTION = `A long poll: answers once the event has happened, or at \`timeoutMs\` with \`done: false\`. A \`timeoutMs\` of 0 answers at once.

- \`command\`: the command that is running or was submitted last has ended, with its \`exitCode\`. With \`since\`: a command
  that ran after that cursor.
- \`prompt\`: the shell waits for input.
- \`exit\`: the terminal's own program has exited.
- \`idle\`: there has been no output for \`idleMs\`.
- \`text\`: \`text\`, or a match of \`regex\`, is on the screen or is printed. With \`since\`: it was or is printed after that
  cursor.
- \`agent\`: the coding agent in the foreground has the status \`agentStatus\`; without \`agentStatus\`, its status has changed
  since the request.

If a shell is not integrated, \`command\` and \`prompt\` end when the shell is in the foreground again, or when the terminal
is quiet; \`waitedBy\` says which. Every wait ends with \`reason: "exit"\` when the terminal's program exits. A client that
closes its connection ends its wait.`;

/** `POST /api/terminals/:id/wait`: waits until a condition holds in a terminal. */
export function registerWait(app: App, waits: WaitsPort, polls: LongPolls): void {
  app.post(
    '/api/terminals/:id/wait',
    {
      config: needs('read', 'terminal'),
      schema: {
        summary: 'Wait for an event in a terminal',
        description: DESCRIPTION,
        tags: ['Commands'],
        params: IdParams,
        body: WaitBody,
        response: { 200: WaitAnswer, ...failures('terminal-not-found', 'invalid-cursor', 'unavailable') },
      },
    },
    (request, reply) =>
      polls.hold(request, reply, (signal) => waits.wait(request.params.id, request.body, signal)),
  );
}
