import { z } from 'zod';
import type { Codec } from '../../store/store.js';

/** Decisions that an operation makes before it begins. A repeated attempt follows them, regardless of later changes. */
const Plan = z.object({
  /** The terminal that it creates, or runs a command in. */
  terminalId: z.string().optional(),
  /** The terminals that it types into. */
  terminalIds: z.array(z.string()).optional(),
  /** The terminals that an earlier attempt has created; they may be gone by now. */
  created: z.array(z.string()).optional(),
  /** The terminals of other machines that it types into; of a machine that did not say which, the code of the error. */
  elsewhere: z
    .array(
      z.object({
        machineId: z.string(),
        deviceName: z.string(),
        terminalIds: z.array(z.string()),
        code: z.string().optional(),
      }),
    )
    .optional(),
  /** The run that it starts. */
  runId: z.string().optional(),
  /** The lease that it takes. */
  leaseId: z.string().optional(),
  /** The prompt that it queues. */
  promptId: z.string().optional(),
  /** Cursor of the output before it began. */
  cursor: z.string().nullable().optional(),
});
export type Plan = z.infer<typeof Plan>;

/** An answer as it was sent. */
const KeptAnswer = z.object({
  kind: z.literal('answer'),
  status: z.int(),
  /** Its media type. */
  type: z.string(),
  body: z.string(),
});
export type KeptAnswer = Omit<z.infer<typeof KeptAnswer>, 'kind'>;

export const KeptOperation = z.object({
  kind: z.literal('operation'),
  /** Id under which it types, see `TypeOptions`. */
  id: z.string(),
  /** Fingerprint of the body, to detect whether a request repeats an earlier request. */
  fingerprint: z.string(),
  /** When it began or was answered, on the clock of `hrMs`. */
  at: z.number(),
  plan: Plan,
  /** Bytes of its answer, 0 for a run, which holds its own; null while there is none, or as long as the run may not have begun. */
  bytes: z.int().nullable(),
});
export type KeptOperation = Omit<z.infer<typeof KeptOperation>, 'kind'>;

/** A record on the shelf of operations: an operation that has begun, or its answer. */
const OperationRecord = z.discriminatedUnion('kind', [KeptOperation, KeptAnswer]);
export type OperationRecord = z.infer<typeof OperationRecord>;

export const OPERATION_CODEC: Codec<OperationRecord> = { version: 1, schema: OperationRecord };

export const OPERATIONS = 'operation/';

/** Returns the id of the record of this operation on the shelf. */
export function operationRecordId(name: string): string {
  return OPERATIONS + name;
}

export function answerRecordId(name: string): string {
  return `answer/${name}`;
}

/** Returns the records of an operation, and of its answer if there is one, by their ids on the shelf. */
export function recordsOf(
  name: string,
  kept: KeptOperation,
  answer?: KeptAnswer,
): Map<string, OperationRecord> {
  const records = new Map<string, OperationRecord>([
    [operationRecordId(name), { kind: 'operation', ...kept }],
  ]);
  if (answer) records.set(answerRecordId(name), { kind: 'answer', ...answer });
  return records;
}
