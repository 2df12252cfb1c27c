import { z } from 'zod';
import { Ok } from '../../src/contract/answers.js';
import { defineTool } from '../tool.js';
import { TerminalId, terminalFor } from './terminal-id.js';

export const closeTerminal = defineTool({
  name: 'close_terminal',
  title: 'Close a terminal',
  description:
    'Ends every program in a terminal, and removes it together with its output: neither can be brought back. Use it ' +
    'for terminals that you created and are done with. Programs get two seconds to end by themselves. With ' +
    'terminalId "me" you close the terminal that you run in, and end yourself. Afterwards the id is not found any ' +
    'more, also by a second call.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ terminalId: TerminalId }),
  output: z.object({ terminalId: z.string(), ...Ok.shape }),
  run: async ({ terminalId }, context) => {
    const { id, path } = terminalFor(terminalId, context);
    const { status } = await context.rest.delete(path(), Ok);
    return { structured: { terminalId: id, status }, text: `Closed ${id}.` };
  },
});
