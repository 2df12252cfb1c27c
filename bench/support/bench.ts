import type { Row } from '../report.js';
import type { Cleanup } from './cleanup.js';

/** How much a case measures. */
export interface Sizes {
  /** Number of rounds in which each figure is measured; the median counts. */
  rounds: number;
  /** Share of the full sizes: 1, or less for a quick run whose figures are not compared with the baseline. */
  scale: number;
  /** Names of peers that run only on request, since they have to be fetched: `vibetunnel`. */
  peers: ReadonlySet<string>;
  /** Programs of the case `agents`, and how often each of them redraws. */
  agents: { count: number; perSecond: number };
  /** Duration of the cases `churn` and `page-memory`, in minutes. */
  minutes: number;
  /** Seed of the random choices of the case `churn`. */
  seed: number;
}

/** Reports the progress of a case. */
export interface Steps {
  /** Reports that a round begins. `what` names the text or backend if a case has several, `side` the current side. */
  round(round: number, rounds: number, about?: { what?: string | undefined; side?: string }): void;
  /** Reports a step of the case that is not a round, such as a warm-up. */
  note(text: string): void;
  /** Prints a text that stays, such as a wrong answer. */
  print(text: string): void;
}

/** Parameters of a case. */
export interface Bench extends Sizes {
  /** Ends everything that the case has started. */
  cleanup: Cleanup;
  progress: Steps;
}

/** Measures, and resolves with the rows of its table. */
export type Case = (bench: Bench) => Promise<Row[]>;
