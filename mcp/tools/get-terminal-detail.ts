import { z } from 'zod';
import { defineTool } from '../tool.js';
import { anywhere } from './anywhere.js';
import { detailOf, TerminalDetail } from './terminal-detail.js';
import { TerminalId } from './terminal-id.js';

export const getTerminalDetail = defineTool({
  name: 'get_terminal_detail',
  title: 'One terminal in full',
  description:
    'Everything about one terminal: name, profile, status, pid of its shell, when and by whom it was ' +
    'created, tabId, labels and size; for an exited terminal, also exitCode, signal and exitedAt, for ' +
    'some minutes. Use it to see whether a terminal is still running, or to get the tabId that ' +
    'create_terminal takes. It does not show what the terminal printed: get_terminal_output and ' +
    'get_terminal_screen do.',
  verbs: ['read'],
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({ terminalId: TerminalId }),
  output: TerminalDetail,
  run: ({ terminalId }, context) => anywhere(terminalId, context, (where) => detailOf(terminalId, where)),
});
