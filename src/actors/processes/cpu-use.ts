import type { ProcessInfo } from './process-table.js';

/** CPU time of a terminal's processes at one moment. */
export interface CpuSample {
  /** Milliseconds on a clock that never goes back. */
  takenAt: number;
  /** Seconds used by each process itself, by the pid and start that identify the process. */
  own: ReadonlyMap<string, number>;
  /** Seconds used by all of them, and by their children that have ended. */
  total: number;
  /** Percent of one core where the platform measures it; else null. */
  percent: number | null;
}

export function sampleCpu(processes: readonly ProcessInfo[], takenAt: number): CpuSample {
  const own = new Map<string, number>();
  let total = 0;
  let percent: number | null = null;
  for (const { pid, startedAt, cpu } of processes) {
    if (cpu.kind === 'percent') {
      percent = (percent ?? 0) + cpu.percent;
    } else {
      own.set(`${pid} ${startedAt}`, cpu.own);
      total += cpu.own + cpu.children;
    }
  }
  return { takenAt, own, total, percent };
}

/**
 * Returns the CPU use between two samples in percent of one core, at most that of all `cores`.
 *
 * A child's time passes to its parent when it ends, so the growth of the total includes processes that came and went in
 * between, such as the compilers of a build. A process that ends without its parent noticing takes its time out of the
 * total; then the growth of the living processes is the better figure. A child from another session brings the time of
 * its whole life, hence the upper bound.
 */
export function cpuPercent(before: CpuSample, after: CpuSample, cores: number): number {
  const most = cores * 100;
  if (after.percent !== null) return rounded(Math.min(most, after.percent));
  let own = 0;
  for (const [key, seconds] of after.own) own += seconds - (before.own.get(key) ?? 0);
  const used = Math.max(own, after.total - before.total, 0);
  return rounded(Math.min(most, (used * 100_000) / (after.takenAt - before.takenAt)));
}

function rounded(percent: number): number {
  return Math.round(percent * 10) / 10;
}
