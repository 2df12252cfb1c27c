import type { Identify } from './lineage.js';

/**
 * CPU time that a process has used, as the platform reports it: seconds so far (its own, and those of its children that
 * have ended), or a percentage of one core that the platform has measured itself.
 */
type CpuUse = { kind: 'seconds'; own: number; children: number } | { kind: 'percent'; percent: number };

/** One process of a terminal at the time of a snapshot. */
export interface ProcessInfo {
  pid: number;
  /** As the system lists it, which may be cut short or chosen by the process itself. */
  name: string;
  /**
   * Orders processes by age, and distinguishes a process from a later one with the same pid; the unit depends on the
   * platform.
   */
  startedAt: number;
  cpu: CpuUse;
  /** 0 for a process that has ended and was not waited for. */
  residentBytes: number;
  /**
   * A text that changes when the process starts to execute another program (execve(2)); absent where the platform
   * does not report it.
   */
  image?: string;
  /** The process waits for something; absent where the platform does not report it. */
  isAsleep?: boolean;
}

/** The processes of a terminal in a snapshot. */
export interface TerminalProcesses {
  /** Every process of the terminal's session, including processes that have ended and were not waited for. */
  all: ProcessInfo[];
  /** The living processes of the foreground job, its leader first, then by age; the shell when nothing else runs. */
  foreground: [ProcessInfo, ...ProcessInfo[]];
  /**
   * The shell waits for input although other processes are in its job. Processes that a startup file has left behind
   * stay in its job forever.
   */
  awaitsInput?: boolean;
}

/** All processes of the machine at one moment. */
export interface Snapshot {
  /** Milliseconds on a clock that never goes back. */
  takenAt: number;
  /** Returns the processes of a terminal by the pid of its shell; null when that process is not there. */
  terminal(shellPid: number): TerminalProcesses | null;
}

/** Details of a process that cost more to read, and are requested for few processes only. */
export interface ProcessDetails {
  /** Command line; empty when it cannot be read. */
  argv: string[];
  /** Path of the executable; null when the system hides it. */
  exe: string | null;
}

/** The machine's processes. Implementations hide the differences between platforms. */
export interface ProcessTable {
  /** Reads the table once, whatever the number of terminals. Processes that end meanwhile are left out. */
  snapshot(): Promise<Snapshot>;
  /** By pid; a process that has ended is not in the answer. */
  details(pids: readonly number[]): Promise<Map<number, ProcessDetails>>;
  /**
   * Returns how often a process that sleeps has run on a processor so far; null if it does not sleep, or the platform
   * does not report it.
   */
  wakings(pid: number): number | null;
  /** Returns whether each thread of a process sleeps; undefined where the platform does not report it. */
  areThreadsAsleep(pid: number): boolean | undefined;
  /**
   * Returns the working directory of a process; undefined if the process has ended; null if the directory was removed,
   * or if the platform or the system does not report it.
   */
  cwd(pid: number): string | null | undefined;
  /** Returns a process as it is now; a zombie counts as a process. */
  identify: Identify;
  /** Milliseconds that two snapshots must be apart to show CPU use. */
  cpuIntervalMs: number;
}

/** Returns the table with shared snapshots: a call while a snapshot is being taken gets that snapshot. */
export function shared(table: ProcessTable): ProcessTable {
  let underway: Promise<Snapshot> | undefined;
  return {
    cpuIntervalMs: table.cpuIntervalMs,
    details: (pids) => table.details(pids),
    wakings: (pid) => table.wakings(pid),
    areThreadsAsleep: (pid) => table.areThreadsAsleep(pid),
    cwd: (pid) => table.cwd(pid),
    identify: (pid) => table.identify(pid),
    snapshot: () => {
      underway ??= table.snapshot().finally(() => {
        underway = undefined;
      });
      return underway;
    },
  };
}
