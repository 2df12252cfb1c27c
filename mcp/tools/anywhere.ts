import { ApiError, NotFoundError } from '../../src/client/index.js';
import { FleetPlace, SELF } from '../../src/contract/fleet.js';
import { terminalOf } from '../caller.js';
import { ToolError } from '../errors.js';
import { answered } from '../service.js';
import type { ToolContext } from '../tool.js';
import { isTerminalId } from './terminal-id.js';

/**
 * Runs `work` for a terminal of this machine; if there is no such terminal here, once more for the machine of the fleet
 * that has it. Rejects as `work` does, and if several machines have the terminal.
 */
export async function anywhere<Answer>(
  terminalId: string,
  context: ToolContext,
  work: (context: ToolContext) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work(context);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const machineId = await machineOf(terminalOf(terminalId, context), context);
    if (machineId === undefined) throw error;
    return work(onMachine(context, machineId));
  }
}

/** Returns the context of a call on another machine. */
export function onMachine(context: ToolContext, machineId: string): ToolContext {
  return { ...context, service: context.service.machine(machineId) };
}

/**
 * Resolves with the id of the other machine that has a terminal; undefined if there is none. Rejects if several machines
 * have it.
 */
export async function machineOf(
  id: string,
  { service, signal }: Pick<ToolContext, 'service' | 'signal'>,
): Promise<string | undefined> {
  if (!isTerminalId(id)) return undefined;
  try {
    const { machineId } = await answered(FleetPlace, service.fleetAdmin.find(id, { signal }));
    return machineId === SELF ? undefined : machineId;
  } catch (error) {
    // The caller reports the missing terminal itself, with more detail.
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const isFailure = error instanceof ApiError || error instanceof ToolError;
  return isFailure && error.code === 'terminal-not-found';
}
