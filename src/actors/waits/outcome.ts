import type { WaitAnswer } from '../../contract/wait.js';

/** What ended a wait. */
export type Outcome = Pick<WaitAnswer, 'done' | 'reason' | 'exitCode' | 'match' | 'agentStatus' | 'waitedBy'>;
