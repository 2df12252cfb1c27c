import { DomainError } from '../../contract/errors.js';
import { faultOf, type HostFault } from './host-fault.js';
import type { HostedTerminal } from './hosted-terminal.js';
import type { TypedPart } from './typing.js';

/** Types the parts, all or none of them; answers why not when it is none. */
export function typeInto(
  terminal: HostedTerminal | undefined,
  parts: readonly TypedPart[],
): HostFault | undefined {
  try {
    if (!terminal) throw new DomainError('terminal-not-found');
    terminal.type(parts);
    return undefined;
  } catch (error) {
    return faultOf(error);
  }
}
