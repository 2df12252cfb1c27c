import type { Row } from '../report.js';
import type { Cleanup } from './cleanup.js';

/** Parameters of a case. */
export interface Bench {
  /** Number of rounds in which each figure is measured; the median counts. */
  rounds: number;
  /** Share of the full sizes: 1, or less for a quick run whose figures are not compared with the baseline. */
  scale: number;
  /** Names of peers that run only on request, since they have to be fetched: `vibetunnel`. */
  peers: ReadonlySet<string>;
  /** Ends everything that the case has started. */
  cleanup: Cleanup;
}

/** Measures, and resolves with the rows of its table. */
export type Case = (bench: Bench) => Promise<Row[]>;
