import type { Obstacle } from '../../contract/admission.js';
import { DomainError } from '../../contract/errors.js';
import { MiB } from '../../contract/limits/units.js';
import { ADMISSION_PACE_MS, OVER_LIMIT_RETRY_MS } from '../../contract/limits.js';

const mib = (bytes: number) => `${Math.floor(bytes / MiB)} MiB`;

/** Returns the obstacle in words, with its figures. */
function describe({ limit, selector, value, max = 0, min = 0 }: Obstacle): string {
  switch (limit) {
    case 'maxTerminals':
      return `${value} of at most ${max} terminals run or start (limits.maxTerminals)`;
    case 'perLabel':
      return `${value} of at most ${max} terminals with ${selector} run or start (limits.perLabel)`;
    case 'minAvailableMemory':
      return `${mib(value)} of memory are available, and ${mib(min)} must be (limits.minAvailableMemory)`;
    case 'maxMemoryPressure':
      return `the memory pressure is ${value} %, and at most ${max} % are allowed (limits.maxMemoryPressure)`;
    case 'pace':
      return `at most ${max} terminals a second are created while memory is limited`;
    case 'queue':
      return `${value} creations wait already`;
  }
}

/** Returns the refusal of a creation; `position` is the place in line that it has, or would have. */
export function overLimit(obstacle: Obstacle, position?: number): DomainError {
  const behind = position !== undefined && position > 1 ? `, and ${position - 1} wait before it` : '';
  const retryAfterMs = obstacle.limit === 'pace' ? ADMISSION_PACE_MS * (position ?? 1) : OVER_LIMIT_RETRY_MS;
  const message = `No terminal was created: ${describe(obstacle)}${behind}`;
  const details = { ...obstacle, ...(position !== undefined && { position }), retryAfterMs };
  return new DomainError('over-limit', message, { details });
}
