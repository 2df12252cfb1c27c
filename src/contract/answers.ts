import { z } from 'zod';

/** Answer of a route that only confirms that it did its work. */
export const Ok = z.object({ status: z.literal('ok') });
export type Ok = z.infer<typeof Ok>;

/** Answer of `GET /health` and `/api/health`. */
export const Health = z
  .object({
    status: z.literal('ok'),
    app: z.string().describe('`auto-terminal`, by which a client recognizes this service'),
    instanceId: z.string().describe('Identifies the running instance; changes at each start'),
    version: z.string(),
    details: z
      .object({
        search: z
          .enum(['feeding', 'off', 'paused'])
          .describe(
            'Whether the search index takes in what terminals print; `paused` while the disk is nearly full',
          ),
        recordings: z
          .enum(['open', 'full'])
          .describe('`full`: the disk has no room, so no recording can start or continue'),
      })
      .optional(),
  })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof Health>;
