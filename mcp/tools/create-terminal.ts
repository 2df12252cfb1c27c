import { z } from 'zod';
import { ApiError, type CreateOptions } from '../../src/client/index.js';
import { DEFAULT_TOOL_COLS, DEFAULT_TOOL_ROWS } from '../../src/contract/limits.js';
import { CreateTerminal, Terminal } from '../../src/contract/terminal.js';
import { ownTerminal } from '../caller.js';
import { answered } from '../service.js';
import { defineTool, type ToolContext } from '../tool.js';
import { fieldLines } from './field-lines.js';

const { name, profile, cols, rows, cwd, tabId, paneId, direction, queueMs, limits } = CreateTerminal.shape;

const input = z.strictObject({
  name: name.describe('Title of the terminal; by default, made from the profile'),
  profile: profile.describe(
    'Id of a shell profile, such as "bash"; the default profile when absent or unknown',
  ),
  cols: cols.unwrap().default(DEFAULT_TOOL_COLS).describe(`Columns; default ${DEFAULT_TOOL_COLS}`),
  rows: rows.unwrap().default(DEFAULT_TOOL_ROWS).describe(`Rows; default ${DEFAULT_TOOL_ROWS}`),
  cwd: cwd.describe('Folder to start in, as a full path'),
  tabId: tabId.describe(
    'Tab in which to place it, by the tabId that get_terminal_detail gives; by default, a new tab',
  ),
  paneId: paneId.describe('Pane of that tab to split'),
  direction: direction.describe(
    'How to split: horizontal places the new terminal to the right, vertical below',
  ),
  queueMs: queueMs.describe(
    'Milliseconds to wait in line if the service is at a limit of terminals or of memory, such as 50000; without it, ' +
      'the call then fails at once and says when to try again',
  ),
  limits: limits.describe(
    'Limits of this terminal: memoryBytes, pids (processes and threads), cpuWeight (100 is the usual share); null lifts ' +
      'a limit that the user has set. `limits` of the answer says which of them hold',
  ),
  connectToCaller: z
    .boolean()
    .optional()
    .describe(
      'Whether to connect the terminal that you run in to it; by default true if you run in a terminal',
    ),
});

const output = Terminal.extend({
  parentTerminalId: z.string().nullable().describe('Id of the terminal that is connected to it'),
});

export const createTerminal = defineTool({
  name: 'create_terminal',
  title: 'Create a terminal',
  description:
    'Starts a shell in a terminal of its own, which runs until it is closed. Use it when you need a place ' +
    'to work that nobody else types into. Without arguments, it opens a new tab with the default shell. ' +
    'With tabId, and optionally paneId and direction, it splits a pane of that tab. Returns the terminal; ' +
    'its `id` is the terminalId for all other tools. Next: execute_command with wait: true. When you no ' +
    'longer need the terminal: close_terminal.',
  verbs: ['control'],
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
  if (parent === undefined || connectToCaller === false) return createBelow(null, body, context);
  try {
    return await createBelow(parent, body, context);
  } catch (error) {
    // The client may still name a terminal that was closed long ago. The failed request has started nothing.
    if (connectToCaller || !isParentGone(error)) throw error;
    return createBelow(null, body, context);
  }
}

async function createBelow(
  parent: string | null,
  options: CreateOptions,
  { service, signal }: ToolContext,
): Promise<Output> {
  const wanted = parent === null ? options : { ...options, parentTerminalId: parent };
  const creating = service.terminals.create(wanted, { signal }).then(({ created }) => created);
  return { ...(await answered(Terminal, creating)), parentTerminalId: parent };
}

/** Returns whether the parent terminal does not exist: the request names no other terminal. */
function isParentGone(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'terminal-not-found';
}
