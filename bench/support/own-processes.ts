import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** Environment variable that all processes of a run inherit, even if their parent in the run has ended. */
const MARK = 'AUTO_TERMINAL_BENCH_RUN';
const POLL_MS = 50;
/** Time without a fall in the number of processes after which the rest are killed: thousands take a while to end. */
const STUCK_MS = 5_000;

/** Marks all processes that this process starts from now on. Returns the mark. */
export function markProcesses(): string {
  const mark = randomUUID();
  process.env[MARK] = mark;
  return mark;
}

/** Returns whether a process inherited the mark; false for zombies and for other users' processes. */
export function isMarked(pid: number, mark: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${MARK}=${mark}\0`);
  } catch {
    return false;
  }
}

/** Returns the ids of all processes of the machine. */
export function allPids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/**
 * Resolves once no marked process lives, except the given pids. Kills the processes that are left once their number has
 * not fallen for `stuckMs`, and resolves with the number of killed processes.
 */
export async function ownEnded(mark: string, except: readonly number[], stuckMs = STUCK_MS): Promise<number> {
  let fewest = Number.POSITIVE_INFINITY;
  let fellAt = performance.now();
  let killed = 0;
  for (;;) {
    const left = allPids().filter((pid) => !except.includes(pid) && isMarked(pid, mark));
    if (left.length === 0) return killed;
    if (left.length < fewest) [fewest, fellAt] = [left.length, performance.now()];
    if (performance.now() - fellAt > stuckMs) killed += left.filter(kill).length;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Kills a process. Returns whether it was still there. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
