import { DomainError } from '../../contract/errors.js';
import type { HostErrorCode } from '../../contract/host-protocol.js';

/** Why something was not done, as a reply tells it. */
export interface HostFault {
  code: HostErrorCode;
  message: string;
}

/** The fault of a DomainError; any other error is none of the client's, and is thrown on. */
export function faultOf(error: unknown): HostFault {
  if (!(error instanceof DomainError)) throw error;
  return { code: error.code as HostErrorCode, message: error.message };
}
