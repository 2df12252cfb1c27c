import { z } from 'zod';

/** Answer of a route that only confirms that it did its work. */
export const Ok = z.object({ status: z.literal('ok') });
export type Ok = z.infer<typeof Ok>;

/** Answer of `GET /health` and `/api/health`. */
export const Health = z
  .object({
    status: z.literal('ok'),
    app: z.string().describe('`auto-terminal`: how a client knows that it is this service which answers'),
    instanceId: z.string().describe('Identifies the running instance; another after each start'),
    version: z.string(),
    details: z
      .object({
        search: z
          .enum(['feeding', 'off', 'paused'])
          .describe(
            'Whether the index takes in what terminals print; paused is while the disk is nearly full',
          ),
        recordings: z
          .enum(['open', 'full'])
          .describe('full: none can begin, and none goes on, for want of room'),
      })
      .optional(),
  })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof Health>;
