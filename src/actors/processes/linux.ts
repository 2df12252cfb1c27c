import { CPU_INTERVAL_MS } from '../../contract/limits.js';
import type { ProcFiles } from './proc-files.js';
import { hasEnded, type ProcStat, parseStat } from './proc-stat.js';
import type {
  ProcessDetails,
  ProcessInfo,
  ProcessTable,
  Snapshot,
  TerminalProcesses,
} from './process-table.js';
import { inSlices } from './slices.js';

/** Suffix that the kernel adds to a path that was replaced or removed, as an executable is by an update. */
const DELETED = / \(deleted\)$/;

/** Kernel functions in which a process waits that reads a terminal, or polls it for input. */
const AWAITING_INPUT =
  /^(wait_woken|n_tty_read|poll_schedule_timeout|do_select|do_sys_poll|ep_poll|do_epoll_wait)/;

/** The processes of a Linux machine, from /proc. */
export class LinuxProcesses implements ProcessTable {
  readonly cpuIntervalMs = CPU_INTERVAL_MS;
  readonly #files: ProcFiles;
  #isOwn: boolean | undefined;

  constructor(files: ProcFiles) {
    this.#files = files;
  }

  async snapshot(): Promise<Snapshot> {
    const takenAt = performance.now();
    const pids = (await this.#files.list()).filter((name) => /^\d+$/.test(name));
    const sessions = new Map<number, ProcStat[]>();
    const sessionOf = new Map<number, number>();
    await inSlices(pids, (pid) => {
      const text = this.#files.read(`${pid}/stat`);
      const stat = text === null ? null : parseStat(text);
      if (!stat) return;
      sessionOf.set(stat.pid, stat.session);
      const session = sessions.get(stat.session);
      if (session) session.push(stat);
      else sessions.set(stat.session, [stat]);
    });
    const sessionWith = (pid: number) => sessions.get(sessionOf.get(pid) ?? -1) ?? [];
    return {
      takenAt,
      terminal: (shellPid) => this.#terminal(shellPid, withoutAncestors(sessionWith(shellPid), shellPid)),
    };
  }

  async details(pids: readonly number[]): Promise<Map<number, ProcessDetails>> {
    const details = new Map<number, ProcessDetails>();
    await inSlices(pids, (pid) => {
      const commandLine = this.#files.read(`${pid}/cmdline`);
      if (commandLine === null) return;
      const exe = this.#files.link(`${pid}/exe`)?.replace(DELETED, '') ?? null;
      // A process that has changed its title leaves NULs after it.
      const argv = commandLine.replace(/\0+$/, '').split('\0');
      details.set(pid, { argv: argv[0] === '' && argv.length === 1 ? [] : argv, exe });
    });
    return details;
  }

  wakings(pid: number): number | null {
    const status = this.#files.read(`${pid}/status`) ?? '';
    if (!/^State:\tS/m.test(status)) return null;
    const switches = [...status.matchAll(/^(?:non)?voluntary_ctxt_switches:\t(\d+)$/gm)];
    return switches.length === 2 ? switches.reduce((sum, [, count]) => sum + Number(count), 0) : null;
  }

  areThreadsAsleep(pid: number): boolean {
    const threads = this.#files.threads(pid) ?? [];
    const states = threads.map((id) => parseStat(this.#files.read(`${pid}/task/${id}/stat`) ?? '')?.state);
    return states.length > 0 && states.every((state) => state === 'S');
  }

  cwd(pid: number): string | null | undefined {
    const path = this.#files.link(`${pid}/cwd`);
    if (path !== null) return DELETED.test(path) ? null : path;
    // The link of another user's process cannot be read either.
    const stat = parseStat(this.#files.read(`${pid}/stat`) ?? '');
    return stat === null || hasEnded(stat) ? undefined : null;
  }

  identify(pid: number): ProcStat | null {
    // In a container, /proc may belong to another pid namespace: its numbers would name other processes.
    this.#isOwn ??= this.#files.link('self') === String(process.pid);
    const text = this.#isOwn ? this.#files.read(`${pid}/stat`) : null;
    return text === null ? null : parseStat(text);
  }

  #terminal(shellPid: number, session: ProcStat[]): TerminalProcesses | null {
    const living = session.filter((stat) => !hasEnded(stat));
    const shell = living.find(({ pid }) => pid === shellPid);
    if (!shell) return null;
    // The foreground group may have ended before the shell has taken the terminal back; the shell counts as the
    // foreground then.
    const job = living
      .filter(({ group }) => group === shell.foreground)
      .sort((a, b) => leads(b) - leads(a) || a.startedAt - b.startedAt || a.pid - b.pid);
    const [first = shell, ...others] = job;
    const isCrowded = first.pid === shellPid && others.length > 0;
    return {
      all: session.map((stat) => this.#info(stat)),
      foreground: [this.#info(first), ...others.map((stat) => this.#info(stat))],
      ...(isCrowded && { awaitsInput: AWAITING_INPUT.test(this.#files.read(`${shellPid}/wchan`) ?? '') }),
    };
  }

  #info(stat: ProcStat): ProcessInfo {
    const { pageBytes, ticksPerSecond } = this.#files.units;
    return {
      pid: stat.pid,
      name: stat.name,
      startedAt: stat.startedAt,
      ...(stat.argumentsAt && { image: `${stat.startedAt} ${stat.name} ${stat.argumentsAt}` }),
      cpu: {
        kind: 'seconds',
        own: stat.ticks / ticksPerSecond,
        children: stat.childTicks / ticksPerSecond,
      },
      residentBytes: stat.residentPages * pageBytes,
      isAsleep: stat.state === 'S',
    };
  }
}

function leads({ pid, group }: ProcStat): number {
  return pid === group ? 1 : 0;
}

/**
 * Drops the ancestors of a process from its session. In tmux a shell does not lead its session: the processes above it
 * are not programs of its terminal.
 */
function withoutAncestors(session: ProcStat[], pid: number): ProcStat[] {
  const byPid = new Map(session.map((stat) => [stat.pid, stat]));
  const shell = byPid.get(pid);
  if (!shell || shell.session === pid) return session;
  // Dropping each ancestor also ends the loop in a cycle: lines that were read one after the other may contradict each
  // other.
  let ancestor = byPid.get(shell.parent);
  while (ancestor && ancestor.pid !== pid) {
    byPid.delete(ancestor.pid);
    ancestor = byPid.get(ancestor.parent);
  }
  return [...byPid.values()];
}
