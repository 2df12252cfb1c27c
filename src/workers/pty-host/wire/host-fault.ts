import { DomainError } from '../../../contract/errors.js';
import type { HostErrorCode } from '../../../contract/host-protocol.js';

/** Why a request was not carried out, as a reply reports it. */
export interface HostFault {
  code: HostErrorCode;
  message: string;
}

/** Fault of a request that was not carried out because its client had given it up. */
export const TOO_LATE: HostFault = {
  code: 'unavailable',
  message: 'The pty host was too busy: nothing was done',
};

/** Returns the fault of a DomainError; rethrows any other error, which the client has not caused. */
export function faultOf(error: unknown): HostFault {
  if (!(error instanceof DomainError)) throw error;
  return { code: error.code as HostErrorCode, message: error.message };
}
