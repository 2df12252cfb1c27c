import type { Context } from './context.js';

/**
 * Resolves with the answers of the service, or with undefined if it has not given them in time: a process that was stopped
 * takes connections, and answers nothing.
 */
export async function answered<Answer>(
  { signal }: Pick<Context, 'signal'>,
  patienceMs: number,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | undefined> {
  const patience = AbortSignal.timeout(patienceMs);
  try {
    return await ask(AbortSignal.any([signal, patience]));
  } catch (error) {
    if (patience.aborted && !signal.aborted) return undefined;
    throw error;
  }
}
