import { execFile } from 'node:child_process';
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { PROCESS_SLICE } from '../../../contract/limits.js';

/** One living process; zombies are not listed. */
export interface ProcessEntry {
  pid: number;
  /** Process group. */
  group: number;
  /** Pid of the session's leader. A PTY's program leads its session. */
  session: number;
  /** Distinguishes a process from a later one with the same pid; empty where the platform does not report it. */
  startedAt: string;
}

interface Scan {
  entries: ProcessEntry[];
  /** Whether the scan yielded the thread: a process may then be missing if its parent forked it meanwhile and ended. */
  isGradual: boolean;
}

export interface ProcessTree {
  /** Lists every visible process. */
  scan(): Promise<Scan>;
  /** Returns `startedAt` of a process, or null when the process is gone or its start time cannot be read. */
  startedAt(pid: number): string | null;
  /**
   * Returns the process group in the foreground of the terminal of this session leader; null if there is none. All
   * processes of that group may be gone.
   */
  foreground(leader: number): Promise<number | null>;
}

export function processTree(): ProcessTree {
  return process.platform === 'linux'
    ? { scan: scanProc, startedAt: startInProc, foreground: foregroundInProc }
    : { scan: scanPs, startedAt: () => '', foreground: foregroundInPs };
}

/** Indexes of fields of /proc/<pid>/stat, counted from the field after the name; see proc(5). */
const STATE = 0;
const GROUP = 2;
const SESSION = 3;
const FOREGROUND = 5;
const START_TIME = 19;

/** Scans in slices: reading thousands of processes takes tens of milliseconds, in which no terminal would be read. */
async function scanProc(): Promise<Scan> {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const entries: ProcessEntry[] = [];
  for (let from = 0; from < pids.length; from += PROCESS_SLICE) {
    if (from > 0) await setImmediate();
    for (const pid of pids.slice(from, from + PROCESS_SLICE)) {
      const entry = entryOf(pid);
      if (entry) entries.push(entry);
    }
  }
  return { entries, isGradual: pids.length > PROCESS_SLICE };
}

/** Returns null when the process has ended since the folder was read, or is a zombie. */
function entryOf(pid: number): ProcessEntry | null {
  const fields = statFields(pid);
  if (!fields || fields[STATE] === 'Z' || fields[STATE] === 'X') return null;
  return {
    pid,
    group: Number(fields[GROUP]),
    session: Number(fields[SESSION]),
    startedAt: fields[START_TIME] ?? '',
  };
}

function startInProc(pid: number): string | null {
  try {
    return statFields(pid)?.[START_TIME] ?? null;
  } catch (error) {
    // The start time is unknown then, and a later leader of that session counts as the same process.
    if (NONE_LEFT.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
}

async function foregroundInProc(leader: number): Promise<number | null> {
  return foregroundOf(leader);
}

/** Returns the process group in the foreground of the terminal of a process; null if there is none. Linux only. */
export function foregroundOf(pid: number): number | null {
  return groupOf(statFields(pid)?.[FOREGROUND]);
}

/** Returns null for -1 and 0, which mean no terminal and no group. */
function groupOf(text: string | undefined): number | null {
  const group = Number(text);
  return Number.isInteger(group) && group > 0 ? group : null;
}

/** Returns whether a process runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  if (process.platform === 'linux') return entryOf(pid) !== null;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code)) return false;
    throw error;
  }
}

/**
 * Returns whether the process with this pid started at this time and leads its session. Returns false where that cannot
 * be known. Linux only.
 */
export function leadsItsSession({
  leader,
  startedAt,
}: {
  leader: number;
  startedAt: string | null;
}): boolean {
  const fields = statFields(leader);
  return fields !== null && fields[START_TIME] === startedAt && Number(fields[SESSION]) === leader;
}

/** Enough for any stat line. */
const STAT_BYTES = 1_024;

function statFields(pid: number): string[] | null {
  const line = Buffer.allocUnsafe(STAT_BYTES);
  try {
    const file = openSync(`/proc/${pid}/stat`, 'r');
    try {
      const stat = line.toString('latin1', 0, readSync(file, line, 0, STAT_BYTES, 0));
      // The name is in parentheses and may itself contain spaces and parentheses.
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
}

/** Errors for a process that has ended since the folder was read, or that belongs to another user. */
const GONE: ReadonlySet<unknown> = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

/** Errors for a lack of descriptors. */
const NONE_LEFT: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

async function foregroundInPs(leader: number): Promise<number | null> {
  // ps fails if the process is gone.
  const { stdout } = await promisify(execFile)('ps', ['-o', 'tpgid=', '-p', String(leader)]).catch(() => ({
    stdout: '',
  }));
  return groupOf(stdout.trim() || undefined);
}

async function scanPs(): Promise<Scan> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,sess=,stat=']);
  return { entries: parsePs(stdout, process.pid), isGradual: false };
}

/**
 * Parses the output of `ps -o pid=,ppid=,pgid=,sess=,stat=`. Some systems (macOS) show no session ids: there, a process
 * belongs to the session of the child of `host` from which it descends.
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
