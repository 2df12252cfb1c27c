import { DomainError } from '../../contract/errors.js';
import { type FleetExecuteBody, type Machine, SELF } from '../../contract/fleet.js';

/** Throws peering-not-installed for a machine that is neither this one nor in its fleet. */
export function refuseRemote(machineId: string | undefined): void {
  if (machineId !== undefined && machineId !== SELF) throw new DomainError('peering-not-installed');
}

/**
 * Returns the machine for a command: the machine of its terminal, else the named machine, else the only online machine
 * with that system, else this machine. Throws terminal-not-found, no-match, ambiguous-target.
 *
 * @param machines - all known machines, including this one
 * @param isHere - whether this machine has the terminal
 */
export function machineFor(
  { terminalId, machineId, targetOS }: Pick<FleetExecuteBody, 'terminalId' | 'machineId' | 'targetOS'>,
  machines: readonly Machine[],
  isHere: (terminalId: string) => boolean,
): string {
  if (terminalId !== undefined) {
    if (isHere(terminalId)) return SELF;
    if (machineId === undefined || machineId === SELF) throw new DomainError('terminal-not-found');
    return machineId;
  }
  if (machineId !== undefined) return machineId;
  if (targetOS === undefined) return SELF;
  const candidates = machines.filter(({ online, os }) => online && os === targetOS);
  const [machine, ...others] = candidates;
  if (!machine) throw new DomainError('no-match', undefined, { details: { machines } });
  if (others.length === 0) return machine.machineId;
  throw new DomainError('ambiguous-target', undefined, { details: { candidates, machines } });
}
