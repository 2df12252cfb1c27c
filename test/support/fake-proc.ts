import type { ProcFiles } from '#dist/actors/processes/proc-files.js';

export interface FakeProcess {
  pid: number;
  name?: string;
  state?: string;
  parent?: number;
  group?: number;
  session?: number;
  foreground?: number;
  ticks?: number;
  childTicks?: number;
  startedAt?: number;
  residentPages?: number;
  /** Arguments, each followed by a NUL. */
  cmdline?: string;
  exe?: string | null;
  /** Kernel function in which the process waits. */
  wchan?: string;
}

/** Returns the line of /proc/<pid>/stat. */
export function statLine(process: FakeProcess): string {
  const { pid, name = `p${pid}`, state = 'S', group = pid, session = pid, foreground = -1 } = process;
  const { parent = 1, ticks = 0, childTicks = 0, startedAt = 0, residentPages = 1 } = process;
  const parts = [pid, `(${name})`, state, parent, group, session, 34_816, foreground, 0, 0, 0, 0, 0];
  return [...parts, ticks, 0, childTicks, 0, 20, 0, 1, 0, startedAt, 0, residentPages, 0, 0].join(' ');
}

export interface FakeProc extends ProcFiles {
  /** Paths of the files that were read, in order. */
  reads: string[];
  /** How often the folder was listed. */
  lists(): number;
}

/** Returns a /proc that contains these processes; `self` is the process that reads it. */
export function fakeProc(processes: readonly FakeProcess[], self = `${process.pid}`): FakeProc {
  const reads: string[] = [];
  let lists = 0;
  const find = (path: string) => processes.find(({ pid }) => pid === Number(path.split('/')[0]));
  return {
    reads,
    lists: () => lists,
    list: async () => {
      lists++;
      return processes.map(({ pid }) => String(pid));
    },
    read: (path) => {
      reads.push(path);
      const process = find(path);
      if (!process) return null;
      if (path.endsWith('/wchan')) return process.wchan ?? '0';
      return path.endsWith('/stat') ? statLine(process) : (process.cmdline ?? `${process.name}\0`);
    },
    threads: (pid) => (find(String(pid)) ? [String(pid)] : null),
    link: (path) => (path === 'self' ? self : (find(path)?.exe ?? null)),
    units: { pageBytes: 4_096, ticksPerSecond: 100 },
  };
}
