import { z } from 'zod';
import { gateFields } from './input-gate.js';
import { DEFAULT_WAIT_MS, MAX_WAIT_MS, MIN_FLEET_TIMEOUT_MS } from './limits.js';
import { commandText } from './strings.js';

/** Machine id that means the machine that gets the request. */
export const SELF = 'self';

const Os = z.enum(['windows', 'macos', 'linux']);

export const Machine = z
  .object({
    machineId: z.string().describe('`self` is the machine that answers'),
    deviceName: z.string(),
    os: Os,
    online: z.boolean(),
    self: z.boolean(),
    lastSeenAt: z
      .number()
      .nullable()
      .optional()
      .describe('Of another machine: when it was heard of, in epoch milliseconds; null if never'),
    version: z.string().optional().describe('Of another machine: release of the service there'),
    terminals: z
      .int()
      .optional()
      .describe('Of another machine that is online: number of its running terminals'),
  })
  .meta({ id: 'Machine' });
export type Machine = z.infer<typeof Machine>;

export const FleetTerminal = z.object({
  id: z.string(),
  title: z.string(),
  running: z.boolean(),
  machineId: z.string(),
  os: Os,
  deviceName: z.string(),
  seenAt: z
    .number()
    .optional()
    .describe('Of a machine that is offline: when it said all this, in epoch milliseconds'),
});
export type FleetTerminal = z.infer<typeof FleetTerminal>;

export const MachineList = z.object({ machines: z.array(Machine) });

/** A machine whose terminals are unknown, or known only from an earlier answer. */
export const UnaskedMachine = z.object({
  machineId: z.string(),
  deviceName: z.string(),
  code: z.string().describe('Why it did not answer: the code of an error, such as `machine-unreachable`'),
});
export type UnaskedMachine = z.infer<typeof UnaskedMachine>;

const unasked = z
  .array(UnaskedMachine)
  .optional()
  .describe('Machines of the fleet that could not be asked; absent if there is none');

export const FleetTerminalList = z.object({ terminals: z.array(FleetTerminal), unasked });
export type FleetTerminalList = z.infer<typeof FleetTerminalList>;

/** Extra field of a 404 for a terminal that was looked for in the whole fleet. */
export const NotInFleet = z.object({ unasked });

/** Answer of `GET /api/fleet/terminals/:id`. */
export const FleetPlace = z.object({ id: z.string(), machineId: z.string() });
export type FleetPlace = z.infer<typeof FleetPlace>;

/** Body of `POST /api/fleet/execute`. */
export const FleetExecuteBody = z.object({
  command: commandText,
  targetOS: Os.optional().describe('Runs the command on the only online peer with this system'),
  machineId: z.string().optional(),
  terminalId: z
    .string()
    .optional()
    .describe('Takes precedence over `machineId`, which takes precedence over `targetOS`'),
  timeoutMs: z
    .number()
    .default(DEFAULT_WAIT_MS)
    .transform((ms) => Math.min(MAX_WAIT_MS, Math.max(MIN_FLEET_TIMEOUT_MS, Math.round(ms))))
    .describe(`Clamped to ${MIN_FLEET_TIMEOUT_MS}..${MAX_WAIT_MS}`),
  ...gateFields,
});
export type FleetExecuteBody = z.infer<typeof FleetExecuteBody>;

/** Answer of `POST /api/fleet/execute`. */
export const FleetExecution = z.object({
  machineId: z.string(),
  terminalId: z.string(),
  deviceName: z.string(),
  done: z.boolean(),
  exitCode: z.int().nullable(),
  screen: z.string().describe('The screen of the terminal when the request is answered, as text'),
  runId: z.string().describe('For `GET /api/runs/{runId}`, which reports the state of the run for 24 h'),
});
export type FleetExecution = z.infer<typeof FleetExecution>;

/** Body of `POST /api/fleet/screen` and `/close`. */
export const FleetTarget = z.object({
  terminalId: z.string(),
  machineId: z
    .string()
    .optional()
    .describe('Defaults to this machine, or to the machine of the fleet that has the terminal'),
});
export type FleetTarget = z.infer<typeof FleetTarget>;

/** Answer of `POST /api/fleet/screen`. */
export const FleetScreen = z.object({
  machineId: z.string(),
  terminalId: z.string(),
  title: z.string(),
  running: z.boolean(),
  screen: z.string().describe('The rows of the screen as text, joined by line feeds'),
});
export type FleetScreen = z.infer<typeof FleetScreen>;

/** Answer of `POST /api/fleet/close`. */
export const FleetClosed = z.object({
  machineId: z.string(),
  terminalId: z.string(),
  status: z.literal('ok'),
});
export type FleetClosed = z.infer<typeof FleetClosed>;
