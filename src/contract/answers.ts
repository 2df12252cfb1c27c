import { z } from 'zod';

/** The answer of a route that has nothing to say but that it did what was asked. */
export const Ok = z.object({ status: z.literal('ok') });
export type Ok = z.infer<typeof Ok>;

/** Answer of `GET /health` and `/api/health`. */
export const Health = z
  .object({
    status: z.literal('ok'),
    app: z.string().describe('`auto-terminal`: how a client knows that it is this service which answers'),
    instanceId: z.string().describe('Identifies the running instance; another after each start'),
    version: z.string(),
  })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof Health>;
