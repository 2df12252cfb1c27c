import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { DEADLINE_MS } from './deadline.js';

/** Ticks a second of the times in /proc. */
const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

export interface ProcessInfo {
  pid: number;
  state: string;
  parent: number;
  session: number;
  /** Start time in ticks since boot; distinguishes the process from a later process with the same number. */
  startTime: number;
  /** CPU seconds (user and system, all threads) used so far. */
  cpuSeconds: number;
  /** CPU seconds of the children that have ended and were waited for. */
  endedCpuSeconds: number;
}

/** Returns a process from /proc; undefined if there is none. */
export function processInfo(pid: number): ProcessInfo | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      pid,
      state: fields[0]!,
      parent: Number(fields[1]),
      session: Number(fields[3]),
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS,
      startTime: Number(fields[19]),
      endedCpuSeconds: (Number(fields[13]) + Number(fields[14])) / TICKS,
    };
  } catch {
    return undefined;
  }
}

/** All processes of a terminal's session, zombies included. */
export function processesOfSession(session: number): ProcessInfo[] {
  return allPids()
    .map(processInfo)
    .filter((info) => info?.session === session) as ProcessInfo[];
}

/** Returns all processes of a terminal, by the pid of its program. In tmux the program does not lead the session. */
export function processesBeside(pid: number): ProcessInfo[] {
  return processesOfSession(processInfo(pid)?.session ?? pid);
}

/** Returns the children of a process, zombies included. */
export function childrenOf(parent: number): ProcessInfo[] {
  return allPids()
    .map(processInfo)
    .filter((info) => info?.parent === parent) as ProcessInfo[];
}

/**
 * Returns the pid of a service's pty host, found by the host's entry and the service's home; undefined if there is
 * none.
 */
export function findHost(home: string): number | undefined {
  return allPids().find((pid) => {
    const command = commandOf(pid);
    return command.includes('pty-host/main.js') && command.includes(home);
  });
}

/** Whether any process listens on a local socket in this folder, or is connected to such a socket. */
export function isListenedOnIn(folder: string): boolean {
  return readFileSync('/proc/net/unix', 'utf8').includes(` ${folder}/`);
}

/** Returns the pid that {@link findHost} finds; throws if there is none. */
export function hostPidOf(home: string): number {
  const host = findHost(home);
  if (host === undefined) throw new Error(`no pty host serves ${home}`);
  return host;
}

/** Returns the pid of the tool server that a service has started; undefined if there is none. */
export function sidecarPidOf(servicePid: number): number | undefined {
  return allPids().find(
    (pid) => processInfo(pid)?.parent === servicePid && commandOf(pid).includes('mcp/main.js'),
  );
}

/** Number of open file descriptors. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Returns the target of each open descriptor: a path, or `socket:[...]` and the like. */
export function openLinks(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(pid, fd));
}

/** Returns '' if the descriptor was closed since it was listed. */
function linkOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return '';
  }
}

/** Number of threads. */
export function threadsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).length;
}

/** Leaders of all existing sessions. */
export function sessions(): Set<number> {
  return new Set(allPids().flatMap((pid) => processInfo(pid)?.session ?? []));
}

/** Returns the peak resident memory of a process, in bytes; undefined once the process has ended. */
export function peakResidentBytes(pid: number): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

function allPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Processes with this command line, with blanks between its words. */
export function processesRunning(command: string): number[] {
  return allPids().filter((pid) => commandOf(pid).split('\0').join(' ').trim() === command);
}

/** Returns the pids of the processes whose command line contains this text. */
export function processesWith(text: string): number[] {
  return allPids().filter((pid) => commandOf(pid).split('\0').join(' ').includes(text));
}

/** Returns '' if the process has ended since it was listed. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

type Look<Found> = () => Found | Promise<Found>;

/** Resolves once `look` returns true or finds something; calls it every 10 ms. For state that has no event. */
export function eventually(what: string, look: Look<boolean>, deadlineMs?: number): Promise<void>;
export function eventually<Found>(
  what: string,
  look: Look<Found | undefined | false>,
  deadlineMs?: number,
): Promise<Found>;
export async function eventually(
  what: string,
  look: Look<unknown>,
  deadlineMs = DEADLINE_MS,
): Promise<unknown> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
