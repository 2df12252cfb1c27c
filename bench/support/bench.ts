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
  /** Duration of the case `churn`. */
  minutes: number;
  /** Seed of the random choices of the case `churn`. */
  seed: number;
}

/** Shows how far a case is. */
export interface Steps {
  /** A round begins. `what` names the measured text or backend, if a case has several; `side` the side in its turn. */
  round(round: number, rounds: number, about?: { what?: string | undefined; side?: string }): void;
  /** A state within the case that is no round, such as what is being filled. */
  note(text: string): void;
  /** A text that stays, such as a wrong answer. */
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
