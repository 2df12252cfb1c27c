import type { FleetTerminal } from '../../dashboard/src/fleet/after-event.js';
import type { Queue } from '../../dashboard/src/needs/needs.js';

type Command = NonNullable<FleetTerminal['command']>;

/** Returns a command; with an `endedAt` of null it still runs. */
export function command(id: string, exitCode: number | null, endedAt: number | null = 10): Command {
  return {
    id,
    commandLine: `run ${id}`,
    cwd: null,
    startedAt: 1,
    endedAt,
    durationMs: null,
    exitCode,
    outputCursor: { start: '', end: null },
  };
}

/** Returns a terminal as the page holds it. */
export function terminal(id: string, parts: Partial<FleetTerminal> = {}): FleetTerminal {
  return {
    ...({ id, name: id, status: 'running', createdAt: 0, labels: {} } as FleetTerminal),
    ...{ cols: 80, rows: 24, title: '', currentApp: null, cwd: null, integration: 'bash', atPrompt: null },
    ...{
      command: null,
      agent: null,
      agentStatus: null,
      agentStatusReason: null,
      agentSince: null,
      clients: 0,
    },
    ...{ lastInputSource: null, lastInputAt: null },
    ...parts,
  };
}

export function waiting(
  id: string,
  agentSince: number | null,
  parts: Partial<FleetTerminal> = {},
): FleetTerminal {
  return terminal(id, { agent: 'claude', agentStatus: 'waiting', agentSince, ...parts });
}

export function fleetOf(...terminals: FleetTerminal[]): Map<string, FleetTerminal> {
  return new Map(terminals.map((each) => [each.id, each]));
}

export function idsOf({ entries }: Queue): string[] {
  return entries.map(({ need }) => need.terminalId);
}
