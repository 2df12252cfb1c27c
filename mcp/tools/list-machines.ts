import { z } from 'zod';
import { MachineList } from '../../src/contract/fleet.js';
import { answered } from '../service.js';
import { defineTool } from '../tool.js';

export const listMachines = defineTool({
  name: 'list_machines',
  title: 'List machines',
  description:
    'Lists the machines that can be reached: the local machine, whose machineId is "self", and the ' +
    'machines that are paired with it; for each, its name, its system (windows, macos, linux) and whether ' +
    'it is online. Call it before you pass a machineId or targetOS to execute_command. list_terminals ' +
    'lists the terminals of these machines.',
  verbs: ['read'],
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: MachineList,
  run: async (_args, { service, signal }) => {
    const machines = await answered(MachineList.shape.machines, service.fleet.machines({ signal }));
    const lines = machines.map(
      ({ machineId, deviceName, os, online, self }) =>
        `${machineId}  ${JSON.stringify(deviceName)}  ${os}  ${online ? 'online' : 'offline'}${self ? '  (this machine)' : ''}`,
    );
    return { structured: { machines }, text: lines.join('\n') };
  },
});
