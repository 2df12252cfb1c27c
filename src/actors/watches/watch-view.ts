import { textOfSelector } from '../../contract/labels.js';
import type { Watch } from '../../contract/watch.js';
import type { KeptWatch } from './kept-watch.js';
import type { WaitingReason } from './watch-inputs.js';

/** Returns a watch as clients see it. */
export function viewOf(
  id: string,
  { selector, expiresInMs, expiresAtHr: _, inputs, ...record }: KeptWatch,
  reasonOf: (action: number) => WaitingReason,
): Watch {
  return {
    id,
    ...record,
    selector: selector && textOfSelector(selector),
    expiresAt: expiresInMs === null ? null : record.createdAt + expiresInMs,
    waitingInput: inputs.flatMap(({ action, count, since }) => {
      const target = record.actions[action];
      if (target?.type !== 'input') return [];
      return [{ terminalId: target.terminalId, count, since, reason: reasonOf(action) }];
    }),
  };
}
