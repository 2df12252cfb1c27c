import { z } from 'zod';
import { DomainError, ERRORS, type ErrorCode } from '../../contract/errors.js';
import { GateWish, refusalIn } from '../../contract/input-gate.js';
import { Principal } from '../../contract/principal.js';
import { RunResult, RunState } from '../../contract/run.js';
import type { Codec } from '../../store/store.js';

/** A run as requested, and how far it has come. `begunAt` and `endsAt` are on the clock of `hrMs`. */
const KeptRun = z.object({
  kind: z.literal('run'),
  runId: z.string(),
  state: RunState,
  /** Epoch milliseconds. */
  createdAt: z.number(),
  begunAt: z.number(),
  endsAt: z.number(),
  /** One command for all terminals, or one for each in the order of `terminalIds`. */
  command: z.union([z.string(), z.array(z.string())]),
  origin: z.enum(['user', 'api', 'mcp', 'fleet']),
  idleMs: z.int(),
  maxBytes: z.int(),
  terminalIds: z.array(z.string()),
  /** Its only terminal was created for it, and is closed once the command has ended or failed. */
  closes: z.boolean(),
  /** The principal that began it; absent in runs of earlier releases. */
  who: Principal.optional(),
  /** How it wants to pass the input gate. A lease has ended with the service that gave it. */
  wish: GateWish.optional(),
  /** Whether it is typed nowhere else once no client waits for its answer; absent if it is typed all the same. */
  whenLeft: z.literal('drop').optional(),
  /** Bytes of output in its results. */
  bytes: z.int(),
});
export type KeptRun = Omit<z.infer<typeof KeptRun>, 'kind'>;

const codes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

/** The outcome of a run in one terminal; never changes. */
const KeptPart = z.object({
  kind: z.literal('part'),
  result: RunResult,
  /** The error that ended it; null where there was none. */
  fault: z.object({ code: z.enum(codes), message: z.string() }).nullable(),
  /** Text of the screen when the part ended, for runs of the fleet; null for all others. */
  screen: z.string().nullable(),
});
export type KeptPart = Omit<z.infer<typeof KeptPart>, 'kind'>;

/** Returns the error that ended a part. */
export function errorOf(
  { result }: KeptPart,
  { code, message }: NonNullable<KeptPart['fault']>,
): DomainError {
  return new DomainError(code, message, { details: refusalIn(code, result) });
}

/** A record on the shelf of runs. */
const RunRecord = z.discriminatedUnion('kind', [KeptRun, KeptPart]);
export type RunRecord = z.infer<typeof RunRecord>;

export const RUN_CODEC: Codec<RunRecord> = { version: 1, schema: RunRecord };

export const RUNS = 'run/';

/** Returns the prefix of the shelf ids of a run's parts; the index of the terminal in `terminalIds` follows it. */
export function partRecords(runId: string): string {
  return `part/${runId}/`;
}
