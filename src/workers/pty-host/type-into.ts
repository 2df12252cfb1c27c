import { DomainError } from '../../contract/errors.js';
import type { HostErrorCode } from '../../contract/host-protocol.js';
import type { HostedTerminal } from './hosted-terminal.js';
import type { TypedPart } from './typing.js';

/** Why something was not typed. */
export interface TypingFault {
  code: HostErrorCode;
  message: string;
}

/** Types the parts, all or none of them; answers why not when it is none. */
export function typeInto(
  terminal: HostedTerminal | undefined,
  parts: readonly TypedPart[],
): TypingFault | undefined {
  try {
    if (!terminal) throw new DomainError('terminal-not-found');
    terminal.type(parts);
    return undefined;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { code: error.code as HostErrorCode, message: error.message };
  }
}
