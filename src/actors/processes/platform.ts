import { LinuxProcesses } from './linux.js';
import { PortableProcesses } from './portable.js';
import { procFiles } from './proc-files.js';
import { type ProcessTable, shared } from './process-table.js';

/** The process table of this machine; `platform` as `process.platform`, `cores` of the machine. */
export function processTable(platform: string, cores: number): ProcessTable {
  if (platform === 'linux') return shared(new LinuxProcesses(procFiles()));
  const list = async () => {
    // Loaded where it is needed only: it is large, and looks at the machine as it loads.
    const { processes } = await import('systeminformation');
    return (await processes()).list;
  };
  return shared(new PortableProcesses({ platform, cores, list }));
}
