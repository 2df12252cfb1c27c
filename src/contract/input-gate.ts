import { z } from 'zod';
import {
  DEFAULT_DRAFT_HOLD_MS,
  DEFAULT_HUMAN_QUIET_MS,
  DEFAULT_LEASE_MS,
  DEFAULT_QUEUE_MS,
  MAX_LABEL_CHARS,
  MAX_LEASE_MS,
  MAX_TIMER_MS,
  MAX_WAIT_MS,
} from './limits.js';
import { Principal } from './principal.js';
import { label } from './strings.js';
import { AgentStatus } from './wait.js';

export const WhenBusy = z.enum(['force', 'refuse', 'queue']);
export type WhenBusy = z.infer<typeof WhenBusy>;

const leaseId = z.string().max(MAX_LABEL_CHARS);

/** Fields by which a request that types says how it passes the gate. */
export const gateFields = {
  whenBusy: WhenBusy.optional().describe(
    'What to do while a person types or has a half-typed line, or another program types: `force` types all the same, ' +
      '`refuse` answers 423, `queue` waits in line. By default as the setting `input.protectHumans` says. Nothing ' +
      'types into a terminal that another program has a lease of, but a person',
  ),
  queueMs: z
    .int()
    .min(0)
    .max(MAX_WAIT_MS)
    .optional()
    .describe(`Milliseconds that \`queue\` waits at most; ${DEFAULT_QUEUE_MS} when absent`),
  ifAgent: z
    .array(AgentStatus)
    .min(1)
    .max(AgentStatus.options.length)
    .optional()
    .describe(
      'Types only if the coding agent in the terminal has one of these statuses, by a look at its screen just ' +
        'before. With `["idle"]`, an Enter never answers a question',
    ),
  lease: leaseId.optional().describe('`leaseId` of the lease under which this is typed; 423 if it has ended'),
};

/** The values of {@link gateFields}: how a request that types wants to pass the gate. */
export const GateWish = z.object(gateFields);
export type GateWish = z.infer<typeof GateWish>;

/** Fields of a request for a lease; every field is optional. */
export const LeaseRequest = z.object({
  ttlMs: z
    .int()
    .min(1)
    .max(MAX_LEASE_MS)
    .default(DEFAULT_LEASE_MS)
    .describe('Milliseconds after which the lease ends unless it is renewed'),
  waitMs: z
    .int()
    .min(0)
    .max(MAX_WAIT_MS)
    .default(0)
    .describe('Milliseconds to wait in line for it; first come, first served'),
  takeover: z
    .boolean()
    .default(false)
    .describe('Ends the lease of another program, whose writes then fail with `lease-lost`'),
  reason: label.optional().describe('What it is for, for those who find the terminal locked'),
});

/** Body of `POST /api/terminals/:id/lease`. */
export const LeaseBody = LeaseRequest.prefault({});
export type LeaseBody = z.infer<typeof LeaseBody>;

/** Body of `PUT /api/terminals/:id/lease`. */
export const RenewBody = z.object({
  leaseId,
  ttlMs: z.int().min(1).max(MAX_LEASE_MS).default(DEFAULT_LEASE_MS).describe('Milliseconds from now on'),
});
export type RenewBody = z.infer<typeof RenewBody>;

/** Query of `DELETE /api/terminals/:id/lease`. */
export const EndLeaseQuery = z.object({ leaseId });

/** Answer of `POST` and `PUT /api/terminals/:id/lease`. */
export const Lease = z
  .object({
    leaseId: z
      .string()
      .describe('Goes into the field `lease` of requests that type; only its holder is told'),
    fence: z
      .int()
      .describe('Number of the lease among those of its terminal since the service started; it grows'),
    expiresAt: z.int().describe('Epoch milliseconds'),
  })
  .meta({ id: 'Lease' });
export type Lease = z.infer<typeof Lease>;

/** The lease of a terminal, the last typing of a person, and the writers in line. */
export const InputState = z
  .object({
    holder: Principal.nullable().describe('Who has the lease; null if nobody has'),
    fence: z.int().nullable().describe('Number of that lease'),
    expiresAt: z.int().nullable().describe('When that lease ends, in epoch milliseconds'),
    reason: z.string().nullable().describe('What that lease is for, as its holder says'),
    humanAt: z.int().nullable().describe('When a person typed last, in epoch milliseconds; null if unknown'),
    draft: z.boolean().describe('Whether a person has a half-typed line, as far as this service has seen'),
    queued: z.int().describe('How many wait in line'),
  })
  .meta({ id: 'InputState' });
export type InputState = z.infer<typeof InputState>;

/** Answer of `GET /api/terminals/:id/lease`. */
export const LeaseState = InputState.extend({
  queue: z
    .array(z.object({ wants: z.enum(['lease', 'type']), who: Principal }))
    .describe('Who waits, first come first'),
});
export type LeaseState = z.infer<typeof LeaseState>;

/** Fields that a refusal with status 423 has besides `error` and `code`. */
export const refusalFields = {
  holder: Principal.nullable().optional().describe('With `locked`: who is in the way; null if unknown'),
  draft: z.boolean().optional().describe('With `locked`: whether a person has a half-typed line'),
  retryAfterMs: z.int().optional().describe('With `locked`: when it may be worth another try'),
};

const GateRefusal = z.object(refusalFields);

/** Returns the fields of an error of the input gate about the writer in the way; none for any other error. */
export function refusalIn(code: string, details: unknown): z.infer<typeof GateRefusal> {
  return code === 'locked' || code === 'lease-lost' ? GateRefusal.parse(details) : {};
}

/** Why a lease has ended. */
export type LeaseEnd = 'released' | 'expired' | 'person' | 'takeover' | 'exited' | 'disconnected';

/** A lease was taken, or has ended; `holder` has or had it. */
export type LeaseChange = { holder: Principal; fence: number } & (
  | { state: 'taken'; expiresAt: number; reason?: string | undefined }
  | { state: 'ended'; why: LeaseEnd }
);

/** The section `input` of the settings. */
export const inputSettings = {
  protectHumans: z
    .enum(['off', 'refuse', 'queue'])
    .describe(
      'What programs that type without `whenBusy` do while a person types or has a half-typed line: `off` types all ' +
        'the same',
    ),
  humanQuietMs: z
    .int()
    .min(0)
    .max(MAX_TIMER_MS)
    .describe('Milliseconds after a key of a person in which the person counts as typing'),
  draftHoldMs: z
    .int()
    .min(0)
    .max(MAX_TIMER_MS)
    .describe('Milliseconds after the last key in which a half-typed line of a person holds programs back'),
};

/** The values of the section `input` that the config file leaves out: no writer is held back. */
export const DEFAULT_INPUT = {
  protectHumans: 'off',
  humanQuietMs: DEFAULT_HUMAN_QUIET_MS,
  draftHoldMs: DEFAULT_DRAFT_HOLD_MS,
} as const;
