import { LinuxProcesses } from './linux.js';
import { PortableProcesses } from './portable.js';
import { procFiles } from './proc-files.js';
import { type ProcessTable, shared } from './process-table.js';

/** Returns the process table of this machine, which has the given `process.platform` and number of cores. */
export function processTable(platform: string, cores: number): ProcessTable {
  if (platform === 'linux') return shared(new LinuxProcesses(procFiles()));
  const list = async () => {
    // Loaded only where it is needed: it is large, and examines the machine as it loads.
    const { processes } = await import('systeminformation');
    return (await processes()).list;
  };
  return shared(new PortableProcesses({ platform, cores, list }));
}
