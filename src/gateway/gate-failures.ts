import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../contract/errors.js';
import { refusalFields } from '../contract/input-gate.js';
import { ErrorBody, failures } from './failures.js';

const LOCKED: ErrorCode[] = ['locked', 'lease-lost'];

/** The 423 of a route that types or takes a lease, with the holder or the draft in the way. */
export const lockFailures = {
  423: z.object({ ...ErrorBody.shape, ...refusalFields }).meta({
    description: LOCKED.map((code) => `${ERRORS[code].message} (\`${code}\`)`).join('; or '),
    codes: LOCKED,
  }),
};

/** The failures of the input gate, of a route that types into one terminal. */
export const gateFailures = { ...failures('agent-waiting', 'agent-busy', 'no-agent'), ...lockFailures };
