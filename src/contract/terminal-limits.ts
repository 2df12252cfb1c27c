import { z } from 'zod';
import {
  MAX_CPU_WEIGHT,
  MAX_TERMINAL_MEMORY_BYTES,
  MAX_TERMINAL_PIDS,
  MIN_CPU_WEIGHT,
  MIN_TERMINAL_MEMORY_BYTES,
  MIN_TERMINAL_PIDS,
} from './limits.js';

const memoryBytes = z
  .int()
  .min(MIN_TERMINAL_MEMORY_BYTES)
  .max(MAX_TERMINAL_MEMORY_BYTES)
  .describe('Bytes of memory: of the whole terminal by cgroup, of each of its processes by rlimit');
const pids = z
  .int()
  .min(MIN_TERMINAL_PIDS)
  .max(MAX_TERMINAL_PIDS)
  .describe('Processes and threads that may run in the terminal at once; by cgroup alone');
const cpuWeight = z
  .int()
  .min(MIN_CPU_WEIGHT)
  .max(MAX_CPU_WEIGHT)
  .describe(
    'Share of the processors where they are contended, as in `cpu.weight` of cgroup v2; 100 is the usual share',
  );

/** Limits of one terminal. */
export const TerminalLimits = z.object({ memoryBytes, pids, cpuWeight }).partial();
export type TerminalLimits = z.infer<typeof TerminalLimits>;

/** The setting `limits.perTerminal` in a PATCH: null removes a limit. */
export const TerminalLimitsPatch = z.strictObject({
  memoryBytes: memoryBytes.nullable().optional(),
  pids: pids.nullable().optional(),
  cpuWeight: cpuWeight.nullable().optional(),
});

/** The limits that a request for a terminal names: null lifts one of `limits.perTerminal`. */
export const AskedLimits = TerminalLimitsPatch.describe(
  'Limits of this terminal, over those of the setting `limits.perTerminal`; null lifts one. The answer says which hold',
);
export type AskedLimits = z.infer<typeof AskedLimits>;

const names = z.enum(['memoryBytes', 'pids', 'cpuWeight']);

/** Which limits of a terminal hold, and by which means. */
export const HeldLimits = z
  .object({
    by: z
      .enum(['cgroup', 'rlimit'])
      .nullable()
      .describe(
        '`cgroup`: a control group holds the whole terminal. `rlimit`: the kernel limits each process (RLIMIT_DATA), and ' +
          '`cpuWeight` is a nice value. null: nothing holds',
      ),
    memoryBytes: z.number().nullable().describe('The limit that holds; null: none'),
    pids: z.int().nullable().describe('The limit that holds; null: none'),
    cpuWeight: z.int().nullable().describe('The weight that holds; null: none was asked for, or none holds'),
    notHeld: z.array(names).optional().describe('Limits that were asked for and cannot be held here'),
    why: z.string().optional().describe('Why no control group holds the terminal'),
  })
  .meta({ id: 'HeldLimits' });
export type HeldLimits = z.infer<typeof HeldLimits>;

/** Returns the limits of a new terminal: what the request names, else the setting. */
export function limitsFor(asked: AskedLimits = {}, setting: TerminalLimits = {}): TerminalLimits {
  const merged = Object.entries({ ...setting, ...asked });
  return Object.fromEntries(merged.filter(([, value]) => value !== null && value !== undefined));
}

/** Returns the state of these limits on a system that can hold none of them. */
export function noneHeld(limits: TerminalLimits, why: string): HeldLimits {
  return { by: null, memoryBytes: null, pids: null, cpuWeight: null, notHeld: namesOf(limits), why };
}

/** Returns the names of the limits that are set. */
export function namesOf(limits: TerminalLimits): z.infer<typeof names>[] {
  return names.options.filter((name) => limits[name] !== undefined);
}
