import { z } from 'zod';
import { ownTerminal } from '../caller.js';
import { defineTool } from '../tool.js';
import { detailOf, TerminalDetail } from './terminal-detail.js';

export const getMyTerminal = defineTool({
  name: 'get_my_terminal',
  title: 'The terminal you run in',
  description:
    'Everything about the terminal that you run in yourself, as get_terminal_detail gives it. Use it to ' +
    'learn whether you run in a terminal of this service at all (it fails if not), and which id and tabId ' +
    'that terminal has. Other tools accept "me" as its id, so you need not call this first. Do not run ' +
    'commands in it: you are the program that runs there.',
  verbs: ['read'],
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: TerminalDetail,
  run: async (_args, context) => detailOf(ownTerminal(context), context),
});
