import type { TerminalSize } from '../../../src/client/browser.js';

/** What the page has of the terminal: from the first screen on, until nothing more can come. */
export type Phase =
  | { name: 'opening' }
  | { name: 'live' }
  /** The service is away; the page tries to connect again. */
  | { name: 'lost' }
  | { name: 'exited'; exitCode: number | null; signal: string | null }
  | { name: 'removed' }
  | { name: 'detached' }
  | { name: 'failed'; why: string };

export interface SessionState {
  phase: Phase;
  size: TerminalSize | undefined;
  /** Title that the program has set. */
  title: string;
  /** Keys and pastes that were not sent, until something is sent again. */
  unsent: number;
}

export const FIRST_STATE: SessionState = {
  phase: { name: 'opening' },
  size: undefined,
  title: '',
  unsent: 0,
};

/** Says what the phase means for a person; undefined while all is well. */
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

function endOf({ exitCode, signal }: { exitCode: number | null; signal: string | null }): string {
  if (signal !== null) return `The program was ended by ${signal}`;
  return exitCode === null
    ? 'The program has ended; its exit code is unknown'
    : `The program has ended: exit ${exitCode}`;
}
