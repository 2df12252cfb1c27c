import type { Systeminformation } from 'systeminformation';
import { PORTABLE_CPU_INTERVAL_MS } from '../../contract/limits.js';
import { baseName } from './names.js';
import type {
  ProcessDetails,
  ProcessInfo,
  ProcessTable,
  Snapshot,
  TerminalProcesses,
} from './process-table.js';

type Listed = Systeminformation.ProcessesProcessData;

export interface PortableOptions {
  /** As `process.platform`. */
  platform: string;
  /** Cores of the machine. */
  cores: number;
  list: () => Promise<Listed[]>;
}

/**
 * The processes of a machine without /proc (macOS, Windows), as the library systeminformation lists them. The library
 * reports neither sessions nor foreground groups, so a terminal's processes are the descendants of its shell, and the
 * foreground process is the youngest of the deepest descendants.
 */
export class PortableProcesses implements ProcessTable {
  readonly cpuIntervalMs = PORTABLE_CPU_INTERVAL_MS;
  readonly #options: PortableOptions;
  #latest: ReadonlyMap<number, Listed> = new Map();

  constructor(options: PortableOptions) {
    this.#options = options;
  }

  async snapshot(): Promise<Snapshot> {
    const takenAt = performance.now();
    const list = await this.#options.list();
    const byPid = new Map(list.map((process) => [process.pid, process]));
    const children = new Map<number, Listed[]>();
    for (const process of list) {
      const siblings = children.get(process.parentPid);
      if (siblings) siblings.push(process);
      else children.set(process.parentPid, [process]);
    }
    this.#latest = byPid;
    return {
      takenAt,
      terminal: (shellPid) => {
        const shell = byPid.get(shellPid);
        return shell && shell.state !== 'zombie' ? this.#terminal(shell, children) : null;
      },
    };
  }

  /** Returns null: the library does not report this. */
  wakings(): null {
    return null;
  }

  /** Returns undefined: the library does not report this. */
  areThreadsAsleep(): undefined {
    return undefined;
  }

  /** Returns null: the library does not report this. */
  cwd(): null {
    return null;
  }

  /** Returns null: the library does not report sessions, nor one process alone. */
  identify(): null {
    return null;
  }

  /** Resolves with the details as of the latest snapshot, which has them all. */
  async details(pids: readonly number[]): Promise<Map<number, ProcessDetails>> {
    const details = new Map<number, ProcessDetails>();
    for (const pid of pids) {
      const process = this.#latest.get(pid);
      if (process) details.set(pid, this.#detailsOf(process));
    }
    return details;
  }

  #terminal(shell: Listed, children: ReadonlyMap<number, Listed[]>): TerminalProcesses {
    const found = [{ process: shell, depth: 0 }];
    const seen = new Set([shell.pid]);
    // The list grows level by level while this loop iterates over it.
    for (const { process, depth } of found) {
      for (const child of children.get(process.pid) ?? []) {
        // Windows keeps the pid of a parent that has ended, and may have given it to another process since.
        if (seen.has(child.pid) || startOf(child) < startOf(process)) continue;
        seen.add(child.pid);
        found.push({ process: child, depth: depth + 1 });
      }
    }
    const living = found.filter(({ process, depth }) => depth > 0 && process.state !== 'zombie');
    const [first, ...others] = living
      .sort((a, b) => b.depth - a.depth || age(b.process, a.process))
      .map(({ process }) => process);
    return {
      all: found.map(({ process }) => this.#info(process)),
      foreground: [this.#info(first ?? shell), ...others.sort(age).map((process) => this.#info(process))],
    };
  }

  #info(process: Listed): ProcessInfo {
    const { platform, cores } = this.#options;
    return {
      pid: process.pid,
      // On macOS the library's own guess contains arguments.
      name: platform === 'win32' ? process.name : baseName(this.#argv(process)[0] ?? process.name),
      startedAt: startOf(process),
      // On Windows the figure is the share of the whole machine.
      cpu: { kind: 'percent', percent: platform === 'win32' ? process.cpu * cores : process.cpu },
      residentBytes: process.memRss * 1_024,
    };
  }

  #detailsOf(process: Listed): ProcessDetails {
    const argv = this.#argv(process);
    const exe = this.#options.platform === 'win32' ? process.path : argv[0];
    return { argv, exe: exe && /^([A-Za-z]:)?[/\\]/.test(exe) ? exe : null };
  }

  #argv({ path, command, params }: Listed): string[] {
    if (this.#options.platform === 'win32') return splitQuoted(command);
    const program = path ? `${path}/${command}` : command;
    return `${program} ${params}`.split(' ').filter((word) => word !== '');
  }
}

/** Returns the start of a process in epoch milliseconds, to the second; 0 where it is unknown. */
function startOf({ started }: Listed): number {
  return Date.parse(started) || 0;
}

/** Compares processes by age, oldest first. */
function age(a: Listed, b: Listed): number {
  return startOf(a) - startOf(b) || a.pid - b.pid;
}

/** Splits a command line into its words, without their quotes, such as `"C:\Program Files\node.exe" -x`. */
function splitQuoted(commandLine: string): string[] {
  const words = commandLine.match(/(?:[^\s"]+|"[^"]*")+/g) ?? [];
  return words.map((word) => word.replaceAll('"', ''));
}
