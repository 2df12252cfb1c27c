import { z } from 'zod';
import { DomainError, ERRORS, type ErrorCode } from '../../contract/errors.js';
import { jsonIn } from '../../fleet/answers.js';
import type { FleetAnswer } from '../../fleet/wire.js';

/** A failure, as another machine has written it. */
const Said = z.object({
  code: z.string().optional(),
  error: z.string(),
  /** The right that is missing. */
  needs: z.string().optional(),
});

/** Returns the failure of another machine, whose release may have codes that this one does not know. */
export function failureOf({ code = '', error, needs }: z.infer<typeof Said>): DomainError {
  const isKnown = Object.hasOwn(ERRORS, code);
  const details = needs === undefined ? {} : { needs };
  return new DomainError(isKnown ? (code as ErrorCode) : 'unavailable', error, { details });
}

/** Throws the failure that another machine has answered with; fleet-protocol for an answer that is no answer. */
export function requireDone(answer: Pick<FleetAnswer, 'status' | 'body'>): void {
  const content = jsonIn(answer);
  const said = Said.safeParse(content);
  if (said.success) throw failureOf(said.data);
  if (answer.status !== 200 || typeof content !== 'object' || content === null)
    throw new DomainError('fleet-protocol');
}
