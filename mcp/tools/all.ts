import type { Tool } from '../tool.js';
import { closeTerminal } from './close-terminal.js';
import { createTerminal } from './create-terminal.js';
import { executeCommand } from './execute-command.js';
import { getMyTerminal } from './get-my-terminal.js';
import { getTerminalDetail } from './get-terminal-detail.js';
import { getTerminalOutput } from './get-terminal-output.js';
import { getTerminalScreen } from './get-terminal-screen.js';
import { listMachines } from './list-machines.js';
import { listTerminals } from './list-terminals.js';

/** Every tool, in the order of their listing. */
export const TOOLS: readonly Tool[] = [
  listTerminals,
  createTerminal,
  executeCommand,
  getTerminalOutput,
  getTerminalDetail,
  getMyTerminal,
  closeTerminal,
  listMachines,
  getTerminalScreen,
];
