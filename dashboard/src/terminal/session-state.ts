import type { TerminalSize } from '../../../src/client/browser.js';

/** End of a program. */
interface Ending {
  exitCode: number | null;
  signal: string | null;
  /** Whether the kernel has killed programs of the terminal for want of memory; absent if that is unknown. */
  oomKilled?: boolean | undefined;
}

/** State of the page's connection to the terminal. */
export type Phase =
  | { name: 'opening' }
  | { name: 'live' }
  /** The service is down; the page tries to reconnect. */
  | { name: 'lost' }
  | ({ name: 'exited' } & Ending)
  | { name: 'removed' }
  | { name: 'detached' }
  | { name: 'failed'; why: string; error: unknown };

export interface SessionState {
  phase: Phase;
  size: TerminalSize | undefined;
  /** Title that the program has set. */
  title: string;
  /** Keys and pastes that were not sent, until something is sent again. */
  unsent: number;
  /** Keys and pastes that were on their way when the connection was lost. */
  unknown: number;
  /** Reason why the service has refused the last of them; undefined if it was not refused. */
  refusal: string | undefined;
}

export const FIRST_STATE: SessionState = {
  phase: { name: 'opening' },
  size: undefined,
  title: '',
  unsent: 0,
  unknown: 0,
  refusal: undefined,
};

/** Returns the phase in words for a person; undefined while all is well. */
export function wordsOfPhase(phase: Phase): string | undefined {
  switch (phase.name) {
    case 'opening':
      return 'Connecting';
    case 'live':
      return undefined;
    case 'lost':
      return 'No connection: what you type is not sent. The page connects again by itself';
    case 'exited':
      return endOf(phase);
    case 'removed':
      return 'The terminal is closed';
    case 'detached':
      return 'Somebody has detached this window';
    case 'failed':
      return phase.why;
  }
}

function endOf({ exitCode, signal, oomKilled }: Ending): string {
  const end =
    signal !== null
      ? `The program was ended by ${signal}`
      : exitCode === null
        ? 'The program has ended; its exit code is unknown'
        : `The program has ended: exit ${exitCode}`;
  return oomKilled
    ? `${end}. The kernel has killed programs of this terminal: no memory was left for them`
    : end;
}

/** Number of typed texts that did not arrive: not sent, with the service's refusal if there is one; or nobody knows. */
export type Missed = { unsent: number; refusal: string | undefined } | { unknown: number };

/** Returns what changes when typed texts do not arrive. */
export function withMissed({ unsent, unknown }: SessionState, missed: Missed): Partial<SessionState> {
  if ('unknown' in missed) return { unknown: unknown + missed.unknown };
  return { ...missed, unsent: unsent + missed.unsent };
}
