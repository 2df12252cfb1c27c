import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../contract/errors.js';
import { RunResult, RunState } from '../../contract/run.js';
import type { Codec } from '../../store/store.js';

/** A run as it was asked for, and how far it has come. Its times go by the clock of `hrMs`. */
const KeptRun = z.object({
  kind: z.literal('run'),
  runId: z.string(),
  state: RunState,
  /** Epoch milliseconds. */
  createdAt: z.number(),
  begunAt: z.number(),
  endsAt: z.number(),
  command: z.string(),
  origin: z.enum(['user', 'api', 'mcp', 'fleet']),
  idleMs: z.int(),
  maxBytes: z.int(),
  terminalIds: z.array(z.string()),
  /** Its one terminal was made for it: it is closed once the command has ended. */
  closes: z.boolean(),
  /** Bytes of output in its results. */
  bytes: z.int(),
});
export type KeptRun = Omit<z.infer<typeof KeptRun>, 'kind'>;

const codes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

/** What became of a run in one terminal; never changes. */
const KeptPart = z.object({
  kind: z.literal('part'),
  result: RunResult,
  /** What it failed with. */
  fault: z.object({ code: z.enum(codes), message: z.string() }).nullable(),
  /** What the terminal showed then, where the run is of the fleet. */
  screen: z.string().nullable(),
});
export type KeptPart = Omit<z.infer<typeof KeptPart>, 'kind'>;

/** A record on the shelf of runs. */
const RunRecord = z.discriminatedUnion('kind', [KeptRun, KeptPart]);
export type RunRecord = z.infer<typeof RunRecord>;

export const RUN_CODEC: Codec<RunRecord> = { version: 1, schema: RunRecord };

export const RUNS = 'run/';

/** Beginning of the ids of a run's parts on the shelf; the terminal's place among the run's follows. */
export function partRecords(runId: string): string {
  return `part/${runId}/`;
}
