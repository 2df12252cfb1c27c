import { setTimeout as delay } from 'node:timers/promises';
import { MAX_CPU_INTERVAL_MS, MIN_CPU_INTERVAL_MS } from '../../contract/limits.js';
import { type CpuSample, cpuPercent, sampleCpu } from './cpu-use.js';
import type { ProcessTable } from './process-table.js';

/** Resource use of all of one terminal's processes together. */
export interface Usage {
  /** Percent of one core. */
  cpu: number;
  /** Resident bytes. */
  memory: number;
}

interface Measured {
  sample: CpuSample;
  memory: number;
}

/** Measures CPU use between one call and the next; keeps one sample for each terminal that was measured. */
export class CpuMeter {
  readonly #table: ProcessTable;
  readonly #cores: number;
  readonly #samples = new Map<string, CpuSample>();
  readonly #underway = new Map<string, Promise<Usage | null>>();

  constructor(table: ProcessTable, cores: number) {
    this.#table = table;
    this.#cores = cores;
  }

  /**
   * Resolves with the use of a terminal's processes, or null if there are none. Calls for a terminal that is being
   * measured get the same answer.
   */
  measure(id: string, shellPid: number): Promise<Usage | null> {
    const underway = this.#underway.get(id);
    if (underway) return underway;
    const usage = this.#measure(id, shellPid).finally(() => this.#underway.delete(id));
    this.#underway.set(id, usage);
    return usage;
  }

  /** Drops the samples of all other terminals. */
  keepOnly(ids: { has(id: string): boolean }): void {
    for (const id of this.#samples.keys()) {
      if (!ids.has(id)) this.#samples.delete(id);
    }
  }

  async #measure(id: string, shellPid: number): Promise<Usage | null> {
    const least = Math.max(MIN_CPU_INTERVAL_MS, this.#table.cpuIntervalMs);
    const kept = this.#samples.get(id);
    const age = kept ? performance.now() - kept.takenAt : Number.POSITIVE_INFINITY;
    const before = kept && age <= MAX_CPU_INTERVAL_MS ? kept : (await this.#read(shellPid)).sample;
    const wait =
      before === kept && age >= MIN_CPU_INTERVAL_MS ? 0 : least - (performance.now() - before.takenAt);
    if (wait > 0) await delay(wait);
    const after = await this.#read(shellPid);
    if (after.sample.own.size === 0 && after.sample.percent === null) {
      this.#samples.delete(id);
      return null;
    }
    this.#samples.set(id, after.sample);
    return { cpu: cpuPercent(before, after.sample, this.#cores), memory: after.memory };
  }

  /** Takes a sample, which is empty if the shell is not there; the shell may have been started a moment ago. */
  async #read(shellPid: number): Promise<Measured> {
    const snapshot = await this.#table.snapshot();
    const processes = snapshot.terminal(shellPid)?.all ?? [];
    return {
      sample: sampleCpu(processes, snapshot.takenAt),
      memory: processes.reduce((sum, { residentBytes }) => sum + residentBytes, 0),
    };
  }
}
