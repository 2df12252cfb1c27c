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

/** Returns what a packet says; undefined if that is no sense, by whoever has sealed it. */
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

/** What a follower says of a stream; later ones replace earlier ones. */
export const Want = z.object({
  /** Number of the first part that has not come. */
  next: z.int().min(0),
  /** Bytes that the owner may send since the stream began. */
  limit: z.int().min(0),
  /** Parts are missing that were sent. */
  isLost: z.boolean(),
  /** The owner is to answer with its state. */
  asks: z.boolean(),
  /** The follower leaves. */
  isClosed: z.boolean(),
  /** What the follower wants of the source; each kind of source has its own. */
  wish: z.unknown().optional(),
});
export type Want = z.infer<typeof Want>;

/** What an owner says of a stream, beside its parts. */
export const State = z.object({
  /** Number of the next part, so that a follower notices that the last ones were lost. */
  next: z.int().min(0),
  end: StreamEnd.optional(),
  /** Number of the follower's packet that has asked for this. Machines of earlier releases do not say it. */
  answers: z.int().min(0).optional(),
  /** What the source says to the wish. */
  told: z.unknown().optional(),
});
export type State = z.infer<typeof State>;
