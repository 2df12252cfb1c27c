import type { Row } from '../report.js';
import type { Cleanup } from './cleanup.js';

/** What a case is given to run with. */
export interface Bench {
  /** How often each figure is taken; the median counts. */
  rounds: number;
  /** Share of the full sizes: 1, or less for a quick look whose figures are not held against the baseline. */
  scale: number;
  /** Peers that run only when they are named, since they have to be fetched: `vibetunnel`. */
  peers: ReadonlySet<string>;
  /** Ends what the case has started. */
  cleanup: Cleanup;
}

/** Measures, and gives the rows of its table. */
export type Case = (bench: Bench) => Promise<Row[]>;
