import { z } from 'zod';
import { FleetClosed } from '../../src/contract/fleet.js';
import { answered } from '../service.js';
import { defineTool } from '../tool.js';
import { TerminalId, terminalFor } from './terminal-id.js';

export const closeTerminal = defineTool({
  name: 'close_terminal',
  title: 'Close a terminal',
  description:
    'Ends every program in a terminal, and removes the terminal with its output; neither can be restored. ' +
    'Use it for terminals that you created and no longer need. Programs get two seconds to end by ' +
    'themselves. With terminalId "me" you close the terminal that you run in, and end yourself. ' +
    'Afterwards the id no longer exists, so a second call fails.',
  verbs: ['control'],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ terminalId: TerminalId }),
  output: FleetClosed.pick({ terminalId: true, status: true }),
  run: async ({ terminalId }, context) => {
    const { id } = terminalFor(terminalId, context);
    const { service, signal } = context;
    const { status } = await answered(FleetClosed, service.fleet.close(id, { signal }));
    return { structured: { terminalId: id, status }, text: `Closed ${id}.` };
  },
});
