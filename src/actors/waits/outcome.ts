import type { WaitAnswer } from '../../contract/wait.js';

/** The result of a wait: its answer without the output and the integration. */
export type Outcome = Omit<WaitAnswer, 'cursor' | 'raw' | 'truncated' | 'integration'>;
