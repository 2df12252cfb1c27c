import { existsSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HeldLimits, TerminalLimits } from '../../../contract/terminal-limits.js';
import { type Controller, readCount, readNumber, wordsOf, writeGroup } from './group-files.js';

/**
 * `cpu.weight` of nice values from 0 to 19, as the kernel has it: the groups of terminals compete with that of the pty
 * host, and the nice value of a program counts only within its own group.
 */
const WEIGHTS = [100, 80, 64, 51, 41, 33, 27, 21, 17, 13, 11, 8, 7, 5, 4, 4, 3, 2, 2, 1];

/** Returns the share of the processors that matches a nice value. */
export function weightOf(nice: number): number {
  return WEIGHTS[nice] ?? 1;
}

/** Returns the nice value whose share is the nearest, from 0 on. */
export function niceFor(weight: number): number {
  const distances = WEIGHTS.map((each) => Math.abs(each - weight));
  return distances.indexOf(Math.min(...distances));
}

/** The control group of one terminal. */
export class TerminalGroup {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** File into which a process writes its id to enter the group. */
  get entry(): string {
    return join(this.path, 'cgroup.procs');
  }

  get exists(): boolean {
    return existsSync(this.path);
  }

  /** Whether processes are in the group; false once it is gone. */
  get isPopulated(): boolean {
    return readCount(this.path, 'cgroup.events', 'populated') === 1;
  }

  /** Sets the limits, before any process enters. Returns the limits that hold, as the kernel has them; throws its error. */
  limit(limits: TerminalLimits, controllers: ReadonlySet<Controller>, nice: number): HeldLimits {
    const { memoryBytes, pids, cpuWeight } = limits;
    const holds = {
      memory: memoryBytes !== undefined && controllers.has('memory'),
      pids: pids !== undefined && controllers.has('pids'),
    };
    if (holds.memory) {
      writeGroup(this.path, 'memory.max', memoryBytes!);
      // Otherwise a terminal at its limit fills the swap of the machine.
      this.#writeIfThere('memory.swap.max', 0);
      // The terminal ends as a whole: a shell whose command was killed would go on as if nothing had happened.
      this.#writeIfThere('memory.oom.group', 1);
    }
    if (holds.pids) writeGroup(this.path, 'pids.max', pids!);
    if (controllers.has('cpu')) writeGroup(this.path, 'cpu.weight', cpuWeight ?? weightOf(nice));
    return {
      by: 'cgroup',
      memoryBytes: holds.memory ? readNumber(this.path, 'memory.max') : null,
      pids: holds.pids ? readNumber(this.path, 'pids.max') : null,
      cpuWeight:
        cpuWeight !== undefined && controllers.has('cpu') ? readNumber(this.path, 'cpu.weight') : null,
    };
  }

  /** Returns how many processes the kernel has killed at the limit of memory; null if that is unknown. */
  oomKills(): number | null {
    return readCount(this.path, 'memory.events', 'oom_kill');
  }

  /** Signals each process of the group. */
  signal(signal: NodeJS.Signals): void {
    for (const pid of wordsOf(this.path, 'cgroup.procs').map(Number)) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        // It has ended meanwhile, or is another user's.
        if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      }
    }
  }

  /** Kills all processes of the group at once, so that none can escape by a fork. */
  kill(): void {
    try {
      writeGroup(this.path, 'cgroup.kill', 1);
    } catch {
      // Kernels before 5.14 do not have this file.
      this.signal('SIGKILL');
    }
  }

  /** Removes the group. Returns whether it is gone; it stays while processes are in it. */
  remove(): boolean {
    try {
      rmdirSync(this.path);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT';
    }
  }

  #writeIfThere(file: string, value: number): void {
    try {
      writeGroup(this.path, file, value);
    } catch {
      // A kernel without swap accounting has no `memory.swap.max`, and a kernel before 4.19 no `memory.oom.group`.
    }
  }
}
