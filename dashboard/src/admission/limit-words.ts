import type { LimitsAnswer } from '../../../src/client/browser.js';
import { sizeOf } from '../fleet/sizes.js';
import { plainLabel } from '../fleet/words.js';

/** A limit of new terminals. */
export interface LimitRow {
  name: string;
  /** Amount that is in use, or is available. */
  now: string;
  /** The limit in words; undefined if none is set. */
  limit: string | undefined;
  /** Whether the limit now keeps terminals from being created. */
  isReached: boolean;
}

const percent = (value: number) => `${value.toFixed(1)} %`;

/** Returns the limits of new terminals, with the use of each. */
export function limitRows({ terminals, perLabel, memory }: LimitsAnswer): LimitRow[] {
  const { running, starting, max } = terminals;
  const { availableBytes, minAvailable, pressure, maxPressure } = memory;
  const used = running + starting;
  return [
    {
      name: 'terminals',
      now: `${running.toLocaleString()} run${starting > 0 ? `, ${starting.toLocaleString()} start` : ''}`,
      limit: max === null ? undefined : `at most ${max.toLocaleString()}`,
      isReached: max !== null && used >= max,
    },
    ...perLabel.map((each) => ({
      name: `with ${plainLabel(each.selector)}`,
      now: `${each.terminals.toLocaleString()} run or start`,
      limit: `at most ${each.max.toLocaleString()}`,
      isReached: each.terminals >= each.max,
    })),
    {
      name: 'available memory',
      now: availableBytes === null ? 'unknown' : sizeOf(availableBytes),
      limit: minAvailable === null ? undefined : `at least ${sizeOf(minAvailable)}`,
      isReached: minAvailable !== null && availableBytes !== null && availableBytes < minAvailable,
    },
    {
      name: 'programs that wait for memory',
      now: pressure === null ? 'unknown' : percent(pressure),
      limit: maxPressure === null ? undefined : `at most ${percent(maxPressure)}`,
      isReached: maxPressure !== null && pressure !== null && pressure > maxPressure,
    },
  ];
}

type Obstacle = LimitsAnswer['queue']['waiting'][number]['obstacle'];

/** Returns in words the limit that a creation waits for. */
export function wordsOfObstacle({ limit, selector, value, max, min }: Obstacle): string {
  switch (limit) {
    case 'maxTerminals':
      return `${value} of at most ${max} terminals run or start`;
    case 'perLabel':
      return `${value} of at most ${max} with ${plainLabel(selector ?? '')} run or start`;
    case 'minAvailableMemory':
      return `${sizeOf(value)} of memory are available, ${sizeOf(min ?? 0)} are wanted`;
    case 'maxMemoryPressure':
      return `programs wait for memory: ${percent(value)}, at most ${percent(max ?? 0)}`;
    case 'pace':
      return 'its turn: under a memory limit, a few are created a second';
    case 'queue':
      return 'too many wait';
  }
}
