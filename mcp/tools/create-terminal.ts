import { z } from 'zod';
import { DEFAULT_TOOL_COLS, DEFAULT_TOOL_ROWS } from '../../src/contract/limits.js';
import { CreateTerminal, Terminal } from '../../src/contract/terminal.js';
import { ownTerminal } from '../caller.js';
import { RestRefusal } from '../errors.js';
import type { Rest } from '../rest-client.js';
import { defineTool, type ToolContext } from '../tool.js';
import { fieldLines } from './field-lines.js';

const { name, profile, cols, rows, cwd, tabId, paneId, direction } = CreateTerminal.shape;

const input = z.strictObject({
  name: name.describe('Title to know it by; made of the profile when absent'),
  profile: profile.describe('Id of a shell profile, as "bash"; the default profile when absent or unknown'),
  cols: cols.unwrap().default(DEFAULT_TOOL_COLS).describe(`Columns; ${DEFAULT_TOOL_COLS} when absent`),
  rows: rows.unwrap().default(DEFAULT_TOOL_ROWS).describe(`Rows; ${DEFAULT_TOOL_ROWS} when absent`),
  cwd: cwd.describe('Folder to start in, as a full path'),
  tabId: tabId.describe('Tab to put it into, as get_terminal_detail gives it; a new tab when absent'),
  paneId: paneId.describe('Pane of that tab to split'),
  direction: direction.describe('How to split: horizontal puts it to the right, vertical below'),
  connectToCaller: z
    .boolean()
    .optional()
    .describe(
      'Whether it is shown as connected from the terminal that you run in; when absent it is, if you run in one',
    ),
});

const output = Terminal.extend({
  parentTerminalId: z.string().nullable().describe('The terminal that it is connected from'),
});

export const createTerminal = defineTool({
  name: 'create_terminal',
  title: 'Create a terminal',
  description:
    'Starts a shell in a terminal of its own, which goes on until it is closed. Use it when you need a place to work in ' +
    'that nobody else types into; without arguments it is a new tab with the default shell. With tabId, and paneId ' +
    'and direction if you like, it splits a pane of that tab. Gives the terminal; its `id` is the terminalId of all ' +
    'other tools. Next: execute_command with wait: true. When you are done with it: close_terminal.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input,
  output,
  run: async (args, context) => {
    const terminal = await create(args, context);
    const next = `Run a command in it with execute_command and terminalId ${JSON.stringify(terminal.id)}.`;
    return { structured: terminal, text: `${fieldLines(terminal)}\n[Created. ${next}]` };
  },
});

type Output = z.output<typeof output>;

/** Creates a terminal, and connects it from the caller's terminal if the caller has one and does not decline. */
async function create(args: z.output<typeof input>, context: ToolContext): Promise<Output> {
  const { connectToCaller, ...body } = args;
  const parent = connectToCaller ? ownTerminal(context) : context.caller;
  if (parent === undefined || connectToCaller === false) return createIn(context.rest, body, null);
  try {
    return await createIn(context.rest, body, parent);
  } catch (error) {
    // The client may still name a terminal that was closed long ago. The failed request has started nothing.
    if (connectToCaller || !isParentGone(error)) throw error;
    return createIn(context.rest, body, null);
  }
}

async function createIn(rest: Rest, body: object, parent: string | null): Promise<Output> {
  const request = parent === null ? body : { ...body, parentTerminalId: parent };
  return { ...(await rest.post('/api/terminals', Terminal, request)), parentTerminalId: parent };
}

/** Returns whether the parent terminal does not exist: the request names no other terminal. */
function isParentGone(error: unknown): boolean {
  return error instanceof RestRefusal && error.code === 'terminal-not-found';
}
