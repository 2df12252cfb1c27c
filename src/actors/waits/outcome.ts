import type { WaitAnswer } from '../../contract/wait.js';

/** What ended a wait. */
export type Outcome = Omit<WaitAnswer, 'cursor' | 'raw' | 'truncated' | 'integration'>;
