import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** One living process; zombies are not listed. */
export interface ProcessEntry {
  pid: number;
  /** Process group. */
  group: number;
  /** Pid of the session's leader. A PTY's program leads its session. */
  session: number;
  /** Tells a process from a later one of the same pid; empty where the platform does not say. */
  startedAt: string;
}

export interface ProcessTree {
  /** Every process that can be seen. */
  scan(): Promise<ProcessEntry[]>;
  /** `startedAt` of one process, or null when it has gone. */
  startedAt(pid: number): string | null;
}

export function processTree(): ProcessTree {
  return process.platform === 'linux'
    ? { scan: scanProc, startedAt: startInProc }
    : { scan: scanPs, startedAt: () => '' };
}

/** Fields of /proc/<pid>/stat counted from the one after the name, see proc(5). */
const STATE = 0;
const GROUP = 2;
const SESSION = 3;
const START_TIME = 19;

async function scanProc(): Promise<ProcessEntry[]> {
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const fields = Number.isInteger(pid) ? statFields(pid) : null;
    if (!fields || fields[STATE] === 'Z' || fields[STATE] === 'X') continue;
    entries.push({
      pid,
      group: Number(fields[GROUP]),
      session: Number(fields[SESSION]),
      startedAt: fields[START_TIME] ?? '',
    });
  }
  return entries;
}

function startInProc(pid: number): string | null {
  return statFields(pid)?.[START_TIME] ?? null;
}

function statFields(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name stands in parentheses and may hold spaces and parentheses itself.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    // Gone since the folder was read.
    return null;
  }
}

async function scanPs(): Promise<ProcessEntry[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,sess=,stat=']);
  return parsePs(stdout, process.pid);
}

/**
 * Reads `ps -o pid=,ppid=,pgid=,sess=,stat=`. Some systems (macOS) show no session ids: there a process counts to
 * the session of the child of `host` that it descends from.
 */
export function parsePs(text: string, host: number): ProcessEntry[] {
  const rows = text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length >= 5);
  const parents = new Map(rows.map(([pid, parent]) => [Number(pid), Number(parent)]));
  const ancestor = (start: number): number => {
    const seen = new Set<number>();
    for (let pid = start; pid > 1 && !seen.has(pid); pid = parents.get(pid) ?? 0) {
      if (parents.get(pid) === host) return pid;
      seen.add(pid);
    }
    return 0;
  };
  return rows
    .filter(([, , , , state]) => !state?.startsWith('Z'))
    .map(([pid, , group, session]) => {
      const known = /^[1-9]\d*$/.test(session ?? '');
      const owner = known ? Number(session) : ancestor(Number(pid));
      return { pid: Number(pid), group: Number(group), session: owner, startedAt: '' };
    });
}
