import type { LeaseState } from '../../../src/client/browser.js';
import { wordsOfPrincipal } from '../fleet/principal.js';
import { plainLabel } from '../fleet/words.js';

/** Returns the holder of the terminal in words; undefined if there is none. */
export function wordsOfHolder({ holder, reason }: LeaseState, isOurs: boolean): string | undefined {
  if (isOurs) return 'You have it: no program can type here';
  if (!holder) return undefined;
  const what = reason === null ? '' : `: ${plainLabel(reason)}`;
  return `${capitalized(wordsOfPrincipal(holder))} has it${what}`;
}

/** Returns in words the number of waiting writers; undefined if there are none. */
export function wordsOfLine({ queue }: Pick<LeaseState, 'queue'>): string | undefined {
  if (queue.length === 0) return undefined;
  return queue.length === 1 ? '1 waits' : `${queue.length} wait`;
}

/** Returns the waiting writers, a line for each. */
export function linesOfLine({ queue }: Pick<LeaseState, 'queue'>): string {
  return queue
    .map(
      ({ wants, who }, at) =>
        `${at + 1}. ${wordsOfPrincipal(who)}, to ${wants === 'lease' ? 'have it' : 'type'}`,
    )
    .join('\n');
}

/** Returns in words the end of a lease of this window. */
export function wordsOfLoss(why: string): string {
  switch (why) {
    case 'person':
      return 'A person has typed into the terminal from elsewhere: programs can type again';
    case 'takeover':
      return 'Somebody else has taken the terminal over';
    case 'expired':
      return 'You have it no longer: the window was away for too long';
    default:
      return 'You have it no longer';
  }
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
