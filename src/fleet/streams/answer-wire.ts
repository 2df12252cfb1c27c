import { z } from 'zod';

/** Kind of a message of a streamed answer: its first byte. */
export const ANSWER = {
  /** JSON: {@link StreamedHead}. */
  head: 1,
  /** A piece of the body. */
  body: 2,
  /** The answer is complete. */
  end: 3,
  /** The answer was broken off. */
  broken: 4,
} as const;

export const StreamedHead = z.object({
  status: z.int().min(100).max(599),
  headers: z.record(z.string(), z.string()),
});
export type StreamedHead = z.infer<typeof StreamedHead>;
