import type { Obstacle } from '../../contract/admission.js';
import { type Labels, matches, type Selector } from '../../contract/labels.js';
import { ADMISSION_PACE_MS } from '../../contract/limits.js';

/** A limit for terminals with some labels. */
interface LabelLimit {
  selector: Selector;
  /** The selector as the setting has it. */
  text: string;
  max: number;
}

/** Limits that are set; undefined where there is none. */
export interface Limits {
  maxTerminals: number | undefined;
  perLabel: readonly LabelLimit[];
  minAvailableMemory: number | undefined;
  maxMemoryPressure: number | undefined;
}

/** How many terminals run or start: in all, and under each limit of `perLabel`. */
export interface Use {
  terminals: number;
  perLabel: number[];
}

/** The memory of the machine; null where the system does not report it. */
export interface Memory {
  availableBytes: number | null;
  /** Percent of the last 10 s in which some program waited for memory. */
  pressure: number | null;
}

export const UNKNOWN_MEMORY: Memory = { availableBytes: null, pressure: null };

/** Returns the places in `perLabel` of the limits for a terminal with these labels. */
export function limitsOn(labels: Labels, { perLabel }: Limits): number[] {
  return perLabel.flatMap(({ selector }, index) => (matches(labels, selector) ? [index] : []));
}

/** Returns the use that terminals with these labels make. */
export function useOf(terminals: Iterable<Labels>, limits: Limits): Use {
  const use: Use = { terminals: 0, perLabel: limits.perLabel.map(() => 0) };
  for (const labels of terminals) count(use, limitsOn(labels, limits));
  return use;
}

function count(use: Use, own: readonly number[]): void {
  use.terminals++;
  for (const index of own) use.perLabel[index]!++;
}

/** Returns the obstacle that the machine's memory puts in the way of every creation. An unknown figure is no obstacle. */
function memoryObstacle(limits: Limits, { availableBytes, pressure }: Memory): Obstacle | undefined {
  const { minAvailableMemory: min, maxMemoryPressure: max } = limits;
  if (min !== undefined && availableBytes !== null && availableBytes < min)
    return { limit: 'minAvailableMemory', value: availableBytes, min };
  if (max !== undefined && pressure !== null && pressure > max)
    return { limit: 'maxMemoryPressure', value: pressure, max };
  return undefined;
}

const PER_SECOND = 1_000 / ADMISSION_PACE_MS;

export interface Situation {
  limits: Limits;
  use: Use;
  memory: Memory;
  /** Admissions that the pace allows now; Infinity without a pace. */
  paced: number;
}

/**
 * Decides which creations in a line are admitted now. Returns, for each, null if it is admitted, or its obstacle. A
 * creation that waits for a limit on all terminals lets no other pass. A creation whose label is full lets others pass
 * unless they share that limit with it.
 *
 * @param line - the creations in order; `own` has the limits on each, see {@link limitsOn}
 */
export function decide(
  line: readonly { own: readonly number[] }[],
  { limits, use, memory, paced }: Situation,
): (Obstacle | null)[] {
  const { maxTerminals, perLabel } = limits;
  const used: Use = { terminals: use.terminals, perLabel: [...use.perLabel] };
  const ofMemory = memoryObstacle(limits, memory);
  /** For each limit of `perLabel`, the obstacle of the first creation that waits under it and must not be overtaken. */
  const held: (Obstacle | undefined)[] = perLabel.map(() => undefined);
  let ofAll: Obstacle | undefined;
  let left = paced;

  const next = (own: readonly number[]): Obstacle | null => {
    if (maxTerminals !== undefined && used.terminals >= maxTerminals)
      ofAll = { limit: 'maxTerminals', value: used.terminals, max: maxTerminals };
    if (ofAll) return ofAll;
    const full = own.map((index) => held[index] ?? fullness(perLabel[index]!, used.perLabel[index]!));
    const ofLabel = full.find((obstacle) => obstacle !== undefined);
    if (ofLabel) {
      for (const index of own) held[index] ??= ofLabel;
      return ofLabel;
    }
    ofAll = ofMemory ?? (left < 1 ? { limit: 'pace', value: PER_SECOND, max: PER_SECOND } : undefined);
    if (ofAll) return ofAll;
    left--;
    count(used, own);
    return null;
  };
  return line.map(({ own }) => next(own));
}

function fullness({ text, max }: LabelLimit, value: number): Obstacle | undefined {
  return value >= max ? { limit: 'perLabel', selector: text, value, max } : undefined;
}
