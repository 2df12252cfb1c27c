import { z } from 'zod';

/** A request to another machine, as its sender seals it. */
export const CallRequest = z.object({
  id: z.string().regex(/^[A-Za-z0-9_-]{22}$/),
  from: z.string(),
  to: z.string(),
  /** The start of the receiver that this request is for: a later start takes none of an earlier one. */
  epoch: z.string(),
  /** When it was sent, in epoch milliseconds of the sender's clock. */
  at: z.number(),
  method: z.string().max(10),
  /** Path and query. */
  url: z.string().max(16_384),
  key: z.string().max(1_000).optional(),
  /** JSON. */
  body: z.string().optional(),
  /**
   * SHA-256 of the body of an earlier answer, in base64url. If the answer to this GET would have the same body, it is 304
   * without a body. The sender needs no reply besides the answer.
   */
  known: z.string().max(43).optional(),
  /** The sender takes a short answer in one message: a head with the body in it. It needs no reply besides the answer. */
  brief: z.literal(true).optional(),
  /** The sender's key for a channel: X25519, in base64url. Only in signed requests, until the receiver has accepted. */
  offer: z.string().max(43).optional(),
});
export type CallRequest = z.infer<typeof CallRequest>;

/** Whether a request was taken. A request that is answered at once gets no confirmation besides. */
export const CallTaken = z.discriminatedUnion('taken', [
  z.object({ taken: z.literal(true), id: z.string() }),
  z.object({
    taken: z.literal(false),
    id: z.string(),
    /**
     * `epoch`: for another start of the receiver, or on a channel that it does not know; `refused`: not taken as a request
     * of this sender, or not granted.
     */
    why: z.enum(['epoch', 'refused', 'busy']),
    /** The receiver's present start. */
    epoch: z.string(),
    status: z.int(),
    body: z.record(z.string(), z.unknown()),
  }),
]);
export type CallTaken = z.infer<typeof CallTaken>;

/** Head of an answer. The parts of the body follow, unless the head has the whole body. */
export const AnswerHead = z.object({
  id: z.string(),
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  bytes: z.int().min(0),
  /** SHA-256 of the body, in base64url. */
  hash: z.string(),
  /** The whole body, for a sender that takes it here. */
  text: z.string().optional(),
  /** The receiver's key for the channel that was offered; machines of an earlier release accept none. */
  accept: z.string().max(43).optional(),
});
export type AnswerHead = z.infer<typeof AnswerHead>;

/** An answer of another machine. */
export interface FleetAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A request that this machine sends on. */
export interface FleetRequest {
  method: string;
  url: string;
  /** Idempotency-Key. */
  key?: string | undefined;
  /** JSON. */
  body?: string | undefined;
  /** See {@link CallRequest}. A machine of an earlier release answers in full. */
  known?: string | undefined;
}

/**
 * Returns the parsed body of a request; undefined if it is not JSON, so that the request counts as a request without a
 * body.
 */
export function bodyOf({ body }: Pick<CallRequest, 'body'>): unknown {
  if (body === undefined) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
