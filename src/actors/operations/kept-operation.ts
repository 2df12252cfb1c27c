import { z } from 'zod';
import type { Codec } from '../../store/store.js';

/** What an operation has settled on before it begins: one that is done again goes by it, whatever has changed since. */
const Plan = z.object({
  /** The terminal that it makes. */
  terminalId: z.string().optional(),
  /** The terminals that it types into. */
  terminalIds: z.array(z.string()).optional(),
  /** The run that it starts. */
  runId: z.string().optional(),
  /** Where the output stood. */
  cursor: z.string().nullable().optional(),
});
export type Plan = z.infer<typeof Plan>;

/** An answer as it went out. */
const KeptAnswer = z.object({
  kind: z.literal('answer'),
  status: z.int(),
  /** Its media type. */
  type: z.string(),
  body: z.string(),
});
export type KeptAnswer = Omit<z.infer<typeof KeptAnswer>, 'kind'>;

const KeptOperation = z.object({
  kind: z.literal('operation'),
  /** Under which it types: see `TypeOptions`. */
  id: z.string(),
  /** Tells whether a request is the same one again. */
  fingerprint: z.string(),
  /** When it began or was answered, on the clock of `hrMs`. */
  at: z.number(),
  plan: Plan,
  /** Bytes of its answer; null while there is none. */
  bytes: z.int().nullable(),
});
export type KeptOperation = Omit<z.infer<typeof KeptOperation>, 'kind'>;

/** A record on the shelf of operations: one that has begun, or its answer. */
const OperationRecord = z.discriminatedUnion('kind', [KeptOperation, KeptAnswer]);
export type OperationRecord = z.infer<typeof OperationRecord>;

export const OPERATION_CODEC: Codec<OperationRecord> = { version: 1, schema: OperationRecord };

export const OPERATIONS = 'operation/';

/** Where the operation of this name stands on the shelf. */
export function operationRecordId(name: string): string {
  return OPERATIONS + name;
}

export function answerRecordId(name: string): string {
  return `answer/${name}`;
}
