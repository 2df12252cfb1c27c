import type { LimitsAnswer, Waiting } from '../../contract/admission.js';
import type { Labels } from '../../contract/labels.js';
import { MAX_WAITING_CREATIONS } from '../../contract/limits.js';
import { type Limits, type Memory, useOf } from './decide.js';

interface Present {
  limits: Limits;
  memory: Memory;
  running: readonly Labels[];
  starting: readonly Labels[];
  waiting: Waiting[];
  refused: number;
}

/** Returns the limits, and how much of each is in use. */
export function statusOf({ limits, memory, running, starting, waiting, refused }: Present): LimitsAnswer {
  const { maxTerminals, perLabel, minAvailableMemory, maxMemoryPressure } = limits;
  const use = useOf([...running, ...starting], limits);
  const { availableBytes, pressure } = memory;
  return {
    terminals: { running: running.length, starting: starting.length, max: maxTerminals ?? null },
    perLabel: perLabel.map(({ text, max }, index) => ({
      selector: text,
      terminals: use.perLabel[index]!,
      max,
    })),
    memory: {
      ...{ availableBytes, minAvailable: minAvailableMemory ?? null },
      ...{ pressure, maxPressure: maxMemoryPressure ?? null },
    },
    unknown: [
      ...(minAvailableMemory !== undefined && availableBytes === null ? ['minAvailableMemory'] : []),
      ...(maxMemoryPressure !== undefined && pressure === null ? ['maxMemoryPressure'] : []),
    ],
    queue: { length: waiting.length, max: MAX_WAITING_CREATIONS, waiting },
    refused,
  };
}
