import { z } from 'zod';
import { AgentState } from './agent.js';
import { Command, Integration } from './command.js';
import { InputState } from './input-gate.js';
import { ProcessEntry } from './system.js';
import { Terminal } from './terminal.js';

/** A terminal with everything that the service knows about it, as `GET /api/terminals?view=full` lists it. */
export const TerminalView = Terminal.extend({
  cols: z.int(),
  rows: z.int(),
  title: z
    .string()
    .describe(
      'The title that a program has set last, as one line without control characters; empty if none has',
    ),
  currentApp: ProcessEntry.shape.currentApp
    .nullable()
    .describe('The foreground process; the shell when nothing else runs; null once the terminal has exited'),
  cwd: z
    .string()
    .nullable()
    .describe(
      'Working directory of the foreground process; null if the terminal has exited or the system hides it',
    ),
  ...AgentState.shape,
  agentSince: z
    .int()
    .nullable()
    .describe(
      'Since when the agent has this status, in epoch milliseconds; null if there is no agent, and if nobody followed events when the status began, or the service has started since',
    ),
  integration: Integration,
  atPrompt: z
    .boolean()
    .nullable()
    .describe('Whether the shell waits for a command; null if the shell does not report that'),
  command: Command.nullable().describe(
    'The command that runs or, if none does, the command that ended last; null if the shell has reported none',
  ),
  clients: z.int().describe('Clients that are attached over the WebSocket'),
  lastInputSource: ProcessEntry.shape.lastInputSource,
  lastInputAt: ProcessEntry.shape.lastInputAt,
}).meta({ id: 'TerminalView' });
export type TerminalView = z.infer<typeof TerminalView>;

/** Answer of `GET /api/terminals/:id`. */
export const TerminalDetail = Terminal.extend({
  input: InputState.optional().describe(
    'Who may type and who waits; present while somebody has the lease or waits, and once a person has typed',
  ),
}).meta({ id: 'TerminalDetail' });
