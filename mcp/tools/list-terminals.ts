import { z } from 'zod';
import { FleetTerminalList } from '../../src/contract/fleet.js';
import { answered } from '../service.js';
import { defineTool } from '../tool.js';

export const listTerminals = defineTool({
  name: 'list_terminals',
  title: 'List terminals',
  description:
    'Lists the running terminals of this machine and of the machines paired with it: id, title, whether ' +
    'the terminal is running, and its machine. Call it to find the id that the other tools take as ' +
    '`terminalId`. Then read a terminal with get_terminal_output or get_terminal_screen, or run a command ' +
    'in it with execute_command.',
  verbs: ['read'],
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: FleetTerminalList,
  run: async (_args, { service, signal }) => {
    const listed = await answered(FleetTerminalList, service.fleetAdmin.roster({ signal }));
    const { terminals, unasked = [] } = listed;
    const lines = terminals.map(
      ({ id, title, running, deviceName, os, seenAt }) =>
        `${id}  ${JSON.stringify(title)}  ${running ? 'running' : 'exited'}  on ${deviceName} (${os})` +
        (seenAt === undefined ? '' : `, which is offline; as of ${new Date(seenAt).toISOString()}`),
    );
    const none = lines.length > 0 ? [] : ['No terminal is running. create_terminal makes a new terminal.'];
    const unknown = unasked.map(
      ({ machineId, deviceName, code }) =>
        `[the terminals of ${deviceName} (${machineId}) are unknown: ${code}]`,
    );
    return { structured: listed, text: [...lines, ...none, ...unknown].join('\n') };
  },
});
