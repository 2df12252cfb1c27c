import { z } from 'zod';
import { Right } from '../../contract/fleet-machines.js';

/** Method of a request that opens a stream. No client can send it: HTTP has no such method. */
export const STREAM_METHOD = 'STREAM';

/** Body of a request that opens a stream. */
export const StreamOpen = z.object({
  id: z.string().regex(/^[A-Za-z0-9_-]{22}$/),
  /** The follower's key of this stream. */
  key: z.string().max(100),
});

export type StreamOpen = z.infer<typeof StreamOpen>;

/** Answer to it. */
export const StreamOpened = z.object({ key: z.string().max(100) });
export type StreamOpened = z.infer<typeof StreamOpened>;

/** Returns the parsed content of a packet; undefined if it does not match the schema, even though its seal is valid. */
export function saidBy<Schema extends z.ZodType>(
  schema: Schema,
  content: Buffer,
): z.infer<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(content.toString())).data;
  } catch {
    return undefined;
  }
}

/** Why a stream has ended at its owner. */
export const StreamEnd = z.object({
  code: z.string().max(100),
  error: z.string().max(10_000),
  needs: Right.optional(),
});
export type StreamEnd = z.infer<typeof StreamEnd>;

/** The follower's state of a stream; a later one replaces an earlier one. */
export const Want = z.object({
  /** Number of the first part that has not come. */
  next: z.int().min(0),
  /** Bytes that the owner may send since the stream began. */
  limit: z.int().min(0),
  /** Whether parts that were sent are missing. */
  isLost: z.boolean(),
  /** Whether the owner is to answer with its state. */
  asks: z.boolean(),
  /** Whether the follower leaves. */
  isClosed: z.boolean(),
  /** The follower's wish to the source, in a form of its own for each kind of source. */
  wish: z.unknown().optional(),
});
export type Want = z.infer<typeof Want>;

/** The owner's state of a stream, sent beside its parts. */
export const State = z.object({
  /** Number of the next part, so that a follower notices that the last ones were lost. */
  next: z.int().min(0),
  end: StreamEnd.optional(),
  /** Number of the follower's packet that has asked for this. Machines of earlier releases omit it. */
  answers: z.int().min(0).optional(),
  /** The source's reply to the wish. */
  told: z.unknown().optional(),
});
export type State = z.infer<typeof State>;
