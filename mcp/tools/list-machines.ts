import { z } from 'zod';
import { MachineList } from '../../src/contract/fleet.js';
import { defineTool } from '../tool.js';

export const listMachines = defineTool({
  name: 'list_machines',
  title: 'List machines',
  description:
    'Lists the machines that can be reached: this one, whose machineId is "self", and those that are paired with it; ' +
    'each with its name, its system (windows, macos, linux) and whether it is online. Call it before you give ' +
    'execute_command a machineId or targetOS. Their terminals are listed by list_terminals.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: MachineList,
  run: async (_args, { rest }) => {
    const list = await rest.get('/api/fleet/machines', MachineList);
    const lines = list.machines.map(
      ({ machineId, deviceName, os, online, self }) =>
        `${machineId}  ${JSON.stringify(deviceName)}  ${os}  ${online ? 'online' : 'offline'}${self ? '  (this machine)' : ''}`,
    );
    return { structured: list, text: lines.join('\n') };
  },
});
