import { Selector } from '../../contract/labels.js';
import type { LimitSettings } from '../../contract/limit-settings.js';
import type { Limits, Memory } from './decide.js';

/** Returns the limits of the settings, whose selectors have been checked. */
export function limitsOf(settings: LimitSettings): Limits {
  const { maxTerminals, perLabel = [], minAvailableMemory, maxMemoryPressure } = settings;
  return {
    ...{ maxTerminals, minAvailableMemory, maxMemoryPressure },
    perLabel: perLabel.map(({ selector, max }) => ({
      selector: Selector.parse(selector),
      text: selector,
      max,
    })),
  };
}

export function isUnlimited({ maxTerminals, perLabel, ...memory }: Limits): boolean {
  return maxTerminals === undefined && perLabel.length === 0 && !limitsMemory(memory);
}

export function limitsMemory({
  minAvailableMemory,
  maxMemoryPressure,
}: Pick<Limits, 'minAvailableMemory' | 'maxMemoryPressure'>): boolean {
  return minAvailableMemory !== undefined || maxMemoryPressure !== undefined;
}

/** Returns whether terminals are admitted one by one: while a memory limit is set whose figure is known. */
export function isPaced({ minAvailableMemory, maxMemoryPressure }: Limits, memory: Memory): boolean {
  return (
    (minAvailableMemory !== undefined && memory.availableBytes !== null) ||
    (maxMemoryPressure !== undefined && memory.pressure !== null)
  );
}
