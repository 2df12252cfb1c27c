import type { Shards } from './shards.js';
import type { ShardReport } from './shards-options.js';

/** Reports of the shards. Counts continue when the pty host, and with it all shards, is replaced. */
export class ShardReports {
  #shards: Shards | undefined;
  /** Last reports of the shards before the present ones, by index. */
  #earlier: ShardReport[] = [];
  #last: ShardReport[] = [];

  /** Takes all further reports from these shards. */
  follow(shards: Shards): Shards {
    this.#shards = shards;
    this.#earlier = this.#last;
    return shards;
  }

  /** Returns a report for each shard; resolves within a second, in whichever state the shards are. */
  async take(): Promise<ShardReport[]> {
    const earlier = this.#earlier;
    const reports = (await this.#shards?.report()) ?? [];
    const totals = reports.map((report, index) => ({
      ...report,
      restarts: report.restarts + (earlier[index]?.restarts ?? 0),
      outputBytes: report.outputBytes + (earlier[index]?.outputBytes ?? 0),
    }));
    if (earlier === this.#earlier) this.#last = totals;
    return totals;
  }
}
