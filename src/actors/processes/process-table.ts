/**
 * CPU time that a process has used, as the platform tells it: seconds so far (its own, and those of its children
 * that have ended), or a percentage of one core that the platform has measured by itself.
 */
type CpuUse = { kind: 'seconds'; own: number; children: number } | { kind: 'percent'; percent: number };

/** One process of a terminal at the time of a snapshot. */
export interface ProcessInfo {
  pid: number;
  /** As the system lists it, which may be cut short or chosen by the process itself. */
  name: string;
  /** Orders processes by age, and tells one from a later one of the same pid; the unit is the platform's. */
  startedAt: number;
  cpu: CpuUse;
  /** 0 for one that has ended and was not waited for. */
  residentBytes: number;
  /** It waits for something; absent where the platform does not tell. */
  isAsleep?: boolean;
}

/** What a snapshot says of one terminal. */
export interface TerminalProcesses {
  /** Every process of the terminal's session, also those that have ended and were not waited for. */
  all: ProcessInfo[];
  /** The living processes of the foreground job, its leader first, then by age; the shell when nothing else runs. */
  foreground: [ProcessInfo, ...ProcessInfo[]];
  /** The shell waits for input, though others are in its job: those that a startup file has left behind are, for ever. */
  awaitsInput?: boolean;
}

/** All processes of the machine at one moment. */
export interface Snapshot {
  /** Milliseconds on a clock that never goes back. */
  takenAt: number;
  /** By the pid of the terminal's shell; null when that process is not there. */
  terminal(shellPid: number): TerminalProcesses | null;
}

/** What costs more to find out, and is asked for few processes only. */
export interface ProcessDetails {
  /** Command line; empty when it cannot be had. */
  argv: string[];
  /** Path of the executable; null when the system hides it. */
  exe: string | null;
}

/** The machine's processes. What differs by platform lies behind this. */
export interface ProcessTable {
  /** Reads the table once, whatever the number of terminals. Processes that end meanwhile are left out. */
  snapshot(): Promise<Snapshot>;
  /** By pid; a process that has ended is not in the answer. */
  details(pids: readonly number[]): Promise<Map<number, ProcessDetails>>;
  /** How often a process that sleeps now has been given a processor; null where it does not, or nothing tells. */
  wakings(pid: number): number | null;
  /** Two snapshots must be this far apart to tell CPU use. */
  cpuIntervalMs: number;
}

/** The table whose concurrent snapshots are one: who asks while one is being taken gets that one. */
export function shared(table: ProcessTable): ProcessTable {
  let underway: Promise<Snapshot> | undefined;
  return {
    cpuIntervalMs: table.cpuIntervalMs,
    details: (pids) => table.details(pids),
    wakings: (pid) => table.wakings(pid),
    snapshot: () => {
      underway ??= table.snapshot().finally(() => {
        underway = undefined;
      });
      return underway;
    },
  };
}
